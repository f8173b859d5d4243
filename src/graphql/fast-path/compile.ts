// Compiles an operation into functions that write its answer as JSON. They do not traverse the document or build a result object, and
// they copy columns from PostgreSQL's bytes to JSON without decoding them. A field that a service refuses becomes null with an error. Any
// other failure is thrown, and the caller falls back to the full executor (fast-path.ts).
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  isAbstractType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import type { GraphContext } from '../context.ts';
import { exposedColumn, fieldOptions } from '../field-options.ts';
import { fragmentApplies, fragmentsOf } from '../fragments.ts';
import { recordRefusedField } from '../unread-parents.ts';
import { columnWriter } from './column-writer.ts';
import {
  completeValue,
  DATA,
  Execution,
  leaf,
  list,
  nonNull,
  nullable,
  nullableComposite,
  type Position,
  Unsupported,
  type VariableValues,
  type Write,
  type WrittenAnswer,
} from './complete.ts';

/**
 * Executes the operation. Resolves to the written bytes and the errors of refused fields. Rejects for any other failure, and with
 * AnswerTooLarge above `maxBytes`.
 */
export type CompiledOperation = (
  ctx: GraphContext,
  variables: VariableValues,
  maxBytes: number,
) => Promise<WrittenAnswer>;

/** Compiles a valid operation. Null if only the full executor can execute it. */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledOperation | null {
  const root = schema.getQueryType();
  if (operation.operation !== 'query' || root == null) return null;
  try {
    const data = compileData(schema, document, operation, root);
    const write: Write = (source, execution) => {
      execution.out.add(DATA);
      execution.writeOrNull(source, data);
      execution.out.add(CLOSE);
    };
    return (ctx, variables, maxBytes) => new Execution(ctx, variables, maxBytes).run(undefined, write);
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

const OPEN = Buffer.from('{');
const CLOSE = Buffer.from('}');

/** The `info` for `resolveType`: no type reads it. */
const NO_INFO = Object.freeze({}) as GraphQLResolveInfo;

/** Operations with more fields are not compiled: nested fragments may expand exponentially. */
const MAX_FIELDS = 1_000;

/** @throws Unsupported */
function compileData(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  root: GraphQLObjectType,
): Write {
  const fragments: Record<string, FragmentDefinitionNode> = Object.fromEntries(fragmentsOf(document));
  let fieldCount = 0;

  /** Compiles an object type. The fields are written in the order of the document. */
  function compileObject(
    type: GraphQLObjectType,
    selections: readonly SelectionSetNode[],
    parent: Position | null,
  ): Write {
    // The full executor would check each object with isTypeOf.
    if (type.isTypeOf != null) throw new Unsupported();
    const fields = [...collectFields(type, selections)].map(([key, nodes], index) => ({
      prefix: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(key)}:`),
      write: compileField(type, nodes, { parent, key, nodes, depth: parent?.depth ?? 0 }),
    }));
    return (source, execution) => {
      if (fields.length === 0) execution.out.add(OPEN);
      for (const { prefix, write } of fields) {
        execution.out.add(prefix);
        write(source, execution);
        execution.requireBytesLeft();
      }
      execution.out.add(CLOSE);
    };
  }

  /** The specification's CollectFields (GraphQL §6.3.2): the field nodes of a type, by response key. */
  function collectFields(
    type: GraphQLObjectType,
    selections: readonly SelectionSetNode[],
    into = new Map<string, FieldNode[]>(),
    visited = new Set<string>(),
  ): Map<string, FieldNode[]> {
    for (const selection of selections.flatMap((set) => set.selections)) {
      if (selection.directives !== undefined && selection.directives.length > 0) throw new Unsupported();
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        into.set(key, [...(into.get(key) ?? []), selection]);
        continue;
      }
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        if (visited.has(selection.name.value)) continue;
        visited.add(selection.name.value);
      }
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : fragments[selection.name.value];
      if (fragment === undefined) throw new Unsupported();
      if (fragmentApplies(schema, type, fragment.typeCondition?.name.value))
        collectFields(type, [fragment.selectionSet], into, visited);
    }
    return into;
  }

  function compileField(
    parent: GraphQLObjectType,
    nodes: readonly FieldNode[],
    at: Omit<Position, 'isNullable'>,
  ): Write {
    const [node] = nodes;
    if (node === undefined || ++fieldCount > MAX_FIELDS) throw new Unsupported();
    const name = node.name.value;
    if (name === '__typename') {
      const typename = Buffer.from(`"${parent.name}"`);
      return (_source, execution) => execution.out.add(typename);
    }
    const field = parent.getFields()[name];
    // Introspection fields are not among the fields of the type.
    if (field === undefined) throw new Unsupported();
    const position: Position = { ...at, isNullable: !isNonNullType(field.type) };
    const write = compileType(field.type, nodes, position);
    const writeResolved =
      field.resolve === undefined
        ? resolveProperty(name, write, position)
        : compileResolver(parent, field, position, write);
    // The resolver checks the scope.
    const column = fieldOptions(field).scope == null ? exposedColumn(field) : null;
    return column === null ? writeResolved : columnWriter(column, field, writeResolved);
  }

  /** Calls a field's resolver and completes its result. */
  function compileResolver(
    parentType: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    position: Position,
    write: Write,
  ): Write {
    const { resolve } = field;
    const { nodes } = position;
    const [node] = nodes;
    if (resolve === undefined || node === undefined) throw new Unsupported();
    const { name: fieldName, type: returnType } = field;
    const info = { fieldName, fieldNodes: nodes, fragments, returnType, parentType, schema, operation };
    const constantArgs = hasVariables(node) ? null : getArgumentValues(field, node, undefined);
    return (source, execution) => {
      const { ctx, variables } = execution;
      let result: unknown;
      try {
        const args = constantArgs ?? getArgumentValues(field, node, variables);
        result = resolve(source, args, ctx, info as unknown as GraphQLResolveInfo);
      } catch (error) {
        recordRefusedField(ctx, source);
        execution.refuse(error, position);
        return;
      }
      completeValue(result, write, execution, position);
    };
  }

  function compileType(type: GraphQLOutputType, nodes: readonly FieldNode[], position: Position): Write {
    if (isNonNullType(type)) return nonNull(compileNullableType(type.ofType, nodes, position));
    const write = compileNullableType(type, nodes, position);
    return isLeafType(type) ? nullable(write) : nullableComposite(write);
  }

  /** Compiles the type of a value that is known not to be null. */
  function compileNullableType(
    type: GraphQLOutputType,
    nodes: readonly FieldNode[],
    position: Position,
  ): Write {
    if (isLeafType(type)) return leaf(type);
    if (isListType(type)) {
      const isNullable = !isNonNullType(type.ofType);
      const items: Position = {
        parent: position,
        key: null,
        nodes,
        isNullable,
        depth: position.depth + 1,
      };
      return list(compileType(type.ofType, nodes, items), items);
    }
    const selections = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    if (isObjectType(type)) return compileObject(type, selections, position);
    if (!isAbstractType(type)) throw new Unsupported();
    const writers = new Map(
      schema
        .getPossibleTypes(type)
        .map((possible) => [possible.name, compileObject(possible, selections, position)]),
    );
    const { resolveType } = type;
    if (resolveType == null) throw new Unsupported();
    return (value, execution) => {
      const name = resolveType(value, execution.ctx, NO_INFO, type);
      const write = typeof name === 'string' ? writers.get(name) : undefined;
      if (write === undefined) throw new Unsupported();
      write(value, execution);
    };
  }

  return compileObject(root, [operation.selectionSet], null);
}

/** Like the default resolver of graphql-js, without calling methods. */
function resolveProperty(name: string, write: Write, position: Position): Write {
  return (source, execution) => {
    const value: unknown = Reflect.get(source as object, name);
    if (typeof value === 'function') throw new Unsupported();
    completeValue(value, write, execution, position);
  };
}

function hasVariables(node: FieldNode): boolean {
  return JSON.stringify(node.arguments ?? [], (key, value) => (key === 'loc' ? undefined : value)).includes(
    `"kind":"${Kind.VARIABLE}"`,
  );
}
