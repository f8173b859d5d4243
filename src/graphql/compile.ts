// Compiles an operation into functions that write its answer's JSON directly: no visit of the document, no object for
// the answer, and columns go from PostgreSQL's bytes to JSON undecoded. Only answers without errors are made here:
// whatever goes wrong throws, and the caller runs the operation again in full (fast-path.ts).
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
import {
  complete,
  Execution,
  leaf,
  list,
  nullable,
  required,
  Unsupported,
  type VariableValues,
  type Write,
} from './complete.ts';
import { columnShownBy, writeColumn } from './complete-column.ts';
import type { GraphContext } from './context.ts';

/**
 * Writes the answer, `{"data":...}`. Rejects with anything that is not a whole answer, and with AnswerTooLarge for one of more
 * than `maxBytes`.
 */
export type CompiledOperation = (
  ctx: GraphContext,
  variables: VariableValues,
  maxBytes: number,
) => Promise<Uint8Array<ArrayBuffer>>;

/** The compiled form of a valid operation, or null for one that the full executor has to run. */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): CompiledOperation | null {
  const root = schema.getQueryType();
  if (operation.operation !== 'query' || root == null) return null;
  try {
    const data = new Compiler(schema, document, operation).object(root, [operation.selectionSet]);
    const write: Write = (source, execution) => {
      execution.out.add(DATA);
      data(source, execution);
      execution.out.add(CLOSE);
    };
    return (ctx, variables, maxBytes) => new Execution(ctx, variables, maxBytes).write(undefined, write);
  } catch (error) {
    if (error instanceof Unsupported) return null;
    throw error;
  }
}

const DATA = Buffer.from('{"data":');
const OPEN = Buffer.from('{');
const CLOSE = Buffer.from('}');

/** Resolvers of types are told nothing of their place. */
const NO_INFO = Object.freeze({}) as GraphQLResolveInfo;

/** Fragments in fragments unfold into more fields than anyone asks for in earnest. */
const MAX_FIELDS = 1_000;

class Compiler {
  private readonly schema: GraphQLSchema;
  private readonly operation: OperationDefinitionNode;
  private readonly definitions: Record<string, FragmentDefinitionNode> = {};
  private fields = 0;

  constructor(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode) {
    this.schema = schema;
    this.operation = operation;
    for (const definition of document.definitions) {
      if (definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
      this.definitions[definition.name.value] = definition;
    }
  }

  /** Writes an object of one type, its fields in the order of the document. */
  object(type: GraphQLObjectType, selections: readonly SelectionSetNode[]): Write {
    // The executor asks objects whether they are of their type.
    if (type.isTypeOf != null) throw new Unsupported();
    const fields = [...this.collect(type, selections)].map(([key, nodes], position) => ({
      lead: Buffer.from(`${position === 0 ? '' : ','}${JSON.stringify(key)}:`),
      write: this.field(type, nodes),
    }));
    return (source, execution) => {
      execution.out.add(OPEN);
      for (const { lead, write } of fields) {
        execution.out.add(lead);
        write(source, execution);
        execution.requireRoom();
      }
      execution.out.add(CLOSE);
    };
  }

  /** The fields that a type gets, by response key, as the specification collects them (GraphQL §6.3.2). */
  private collect(
    type: GraphQLObjectType,
    selections: readonly SelectionSetNode[],
    into = new Map<string, FieldNode[]>(),
    seen = new Set<string>(),
  ): Map<string, FieldNode[]> {
    for (const selection of selections.flatMap((set) => set.selections)) {
      if (selection.directives !== undefined && selection.directives.length > 0) throw new Unsupported();
      if (selection.kind === Kind.FIELD) {
        const key = selection.alias?.value ?? selection.name.value;
        into.set(key, [...(into.get(key) ?? []), selection]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        if (this.applies(type, selection.typeCondition?.name.value)) {
          this.collect(type, [selection.selectionSet], into, seen);
        }
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = this.definitions[selection.name.value];
        if (fragment === undefined) throw new Unsupported();
        if (this.applies(type, fragment.typeCondition.name.value)) {
          this.collect(type, [fragment.selectionSet], into, seen);
        }
      }
    }
    return into;
  }

  private applies(type: GraphQLObjectType, condition: string | undefined): boolean {
    if (condition === undefined || condition === type.name) return true;
    const on = this.schema.getType(condition);
    return isAbstractType(on) && this.schema.isSubType(on, type);
  }

  private field(parent: GraphQLObjectType, nodes: readonly FieldNode[]): Write {
    const [node] = nodes;
    if (node === undefined || ++this.fields > MAX_FIELDS) throw new Unsupported();
    const name = node.name.value;
    if (name === '__typename') {
      const typename = Buffer.from(`"${parent.name}"`);
      return (_source, execution) => execution.out.add(typename);
    }
    const field = parent.getFields()[name];
    // The schema's own fields among them.
    if (field === undefined) throw new Unsupported();
    const write = this.value(field.type, nodes);
    const ask =
      field.resolve === undefined ? property(name, write) : this.resolved(parent, field, nodes, write);
    const shown = columnShownBy(field);
    return shown === null ? ask : writeColumn(shown, field.type, ask);
  }

  private resolved(
    parentType: GraphQLObjectType,
    field: GraphQLField<unknown, unknown>,
    nodes: readonly FieldNode[],
    write: Write,
  ): Write {
    const { resolve } = field;
    const [node] = nodes;
    if (resolve === undefined || node === undefined) throw new Unsupported();
    const { schema, operation, definitions: fragments } = this;
    const returnType = field.type;
    const info = {
      fieldName: field.name,
      fieldNodes: nodes,
      fragments,
      returnType,
      parentType,
      schema,
      operation,
    };
    const constant = hasVariables(node) ? null : getArgumentValues(field, node, undefined);
    return (source, execution) => {
      const args = constant ?? getArgumentValues(field, node, execution.variables);
      complete(resolve(source, args, execution.ctx, info as unknown as GraphQLResolveInfo), write, execution);
    };
  }

  private value(type: GraphQLOutputType, nodes: readonly FieldNode[]): Write {
    if (isNonNullType(type)) return required(this.nullable(type.ofType, nodes));
    return nullable(this.nullable(type, nodes));
  }

  /** Writes a value that is not null. */
  private nullable(type: GraphQLOutputType, nodes: readonly FieldNode[]): Write {
    if (isLeafType(type)) return leaf(type);
    if (isListType(type)) return list(this.value(type.ofType, nodes));
    const selections = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    if (isObjectType(type)) return this.object(type, selections);
    if (!isAbstractType(type)) throw new Unsupported();
    const writers = new Map(
      this.schema
        .getPossibleTypes(type)
        .map((possible) => [possible.name, this.object(possible, selections)]),
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
}

function property(name: string, write: Write): Write {
  return (source, execution) => {
    const value: unknown = Reflect.get(source as object, name);
    if (typeof value === 'function') throw new Unsupported();
    complete(value, write, execution);
  };
}

function hasVariables(node: FieldNode): boolean {
  return JSON.stringify(node.arguments ?? [], (key, value) => (key === 'loc' ? undefined : value)).includes(
    `"kind":"${Kind.VARIABLE}"`,
  );
}
