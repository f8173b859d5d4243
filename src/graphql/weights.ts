// What an operation weighs: how deep it is, and how many rows it may touch at most, by its page sizes. Pure.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  visit,
} from 'graphql';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../pagination.ts';

export interface Weight {
  /** Fields inside fields, the innermost included; what reads the schema does not count. */
  readonly depth: number;
  /** A row for each object with an id. Values count a little, so that aliases are not free. */
  readonly cost: number;
  /** The same for the part that reads the schema. */
  readonly schemaCost: number;
}

export type Variables = Readonly<Record<string, unknown>>;

/** Values that weigh as much as a row. */
const VALUES_PER_ROW = 50;

/** Members of a list in the schema itself, roughly. */
const SCHEMA_LIST_SIZE = 20;

const NOTHING: Weight = { depth: 0, cost: 0, schemaCost: 0 };
const VALUE: Weight = { depth: 1, cost: 1 / VALUES_PER_ROW, schemaCost: 0 };

/** The weight of an operation. Fragments are weighed once a page size, so that nesting them costs no time. */
export function weigh(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Variables,
): Weight {
  const variables = withDefaults(operation, given);
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  const known = new Map<string, Weight>();

  function weighFragment(name: string, pageSize: number): Weight {
    const key = `${name} ${pageSize}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    // A fragment inside itself weighs nothing; validation refuses it anyway.
    known.set(key, NOTHING);
    const fragment = fragments.get(name);
    const type = fragment && schema.getType(fragment.typeCondition.name.value);
    const weight =
      fragment && isCompositeType(type) ? weighAll(fragment.selectionSet, type, pageSize) : NOTHING;
    known.set(key, weight);
    return weight;
  }

  /** @param pageSize how many objects the lists of a connection have; 1 outside connections */
  function weighAll({ selections }: SelectionSetNode, type: GraphQLCompositeType, pageSize: number): Weight {
    let sum = NOTHING;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        sum = add(sum, weighField(selection, type, pageSize));
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const named = selection.typeCondition && schema.getType(selection.typeCondition.name.value);
        sum = add(sum, weighAll(selection.selectionSet, isCompositeType(named) ? named : type, pageSize));
      } else {
        sum = add(sum, weighFragment(selection.name.value, pageSize));
      }
    }
    return sum;
  }

  function weighField(node: FieldNode, parent: GraphQLCompositeType, pageSize: number): Weight {
    const field = schema.getField(parent, node.name.value);
    const type = field && getNamedType(field.type);
    if (field === undefined || !isCompositeType(type) || node.selectionSet === undefined) return VALUE;
    const { pages } = type.extensions;
    const inner = weighAll(node.selectionSet, type, pages === true ? pageSizeOf(field, node, variables) : 1);
    const cost = listSize(field, node, variables, pageSize) * ((isRow(type) ? 1 : 0) + inner.cost);
    return node.name.value.startsWith('__')
      ? { depth: 1, cost: 0, schemaCost: cost }
      : { depth: 1 + inner.depth, cost, schemaCost: inner.schemaCost };
  }

  const root = schema.getRootType(operation.operation);
  return root ? weighAll(operation.selectionSet, root, 1) : NOTHING;
}

/** Whether what the document weighs depends on the variables: where a size is one. */
export function hasVariableSizes(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Argument({ name, value }) {
      found ||= SIZES.has(name.value) && value.kind !== Kind.INT;
    },
  });
  return found;
}

/** The arguments that pageSizeOf and listSize look at. */
const SIZES = new Set(['first', 'last', 'ids']);

function add(a: Weight, b: Weight): Weight {
  return {
    depth: Math.max(a.depth, b.depth),
    cost: a.cost + b.cost,
    schemaCost: a.schemaCost + b.schemaCost,
  };
}

/** Types with an id are rows of the store. */
function isRow(type: GraphQLCompositeType): boolean {
  if (type.name === 'Node') return true;
  return (
    (isObjectType(type) || isInterfaceType(type)) && type.getInterfaces().some(({ name }) => name === 'Node')
  );
}

type Field = GraphQLField<unknown, unknown>;

/** How many objects a field may return for one parent. */
function listSize(field: Field, node: FieldNode, variables: Variables, pageSize: number): number {
  if (!isListType(getNullableType(field.type))) return 1;
  const { rows, rowsOf } = field.extensions;
  if (typeof rows === 'number') return rows;
  if (typeof rowsOf === 'string') return lengthOf(argument(node, rowsOf, variables));
  return getNamedType(field.type).name.startsWith('__') ? SCHEMA_LIST_SIZE : pageSize;
}

/** The page size that a connection's arguments ask for, as pagination.ts will cap it. */
function pageSizeOf({ extensions }: Field, node: FieldNode, variables: Variables): number {
  const { rows } = extensions;
  if (typeof rows === 'number') return rows;
  const size = argument(node, 'first', variables) ?? argument(node, 'last', variables) ?? DEFAULT_PAGE_SIZE;
  return typeof size === 'number' ? Math.min(Math.max(size, 1), MAX_PAGE_SIZE) : MAX_PAGE_SIZE;
}

function argument(node: FieldNode, name: string, variables: Variables): unknown {
  const value = node.arguments?.find((given) => given.name.value === name)?.value;
  return value?.kind === Kind.VARIABLE ? variables[value.name.value] : toSize(value);
}

function withDefaults({ variableDefinitions = [] }: OperationDefinitionNode, given: Variables): Variables {
  const defaults = variableDefinitions.map(({ variable, defaultValue }) => [
    variable.name.value,
    toSize(defaultValue),
  ]);
  return { ...Object.fromEntries(defaults), ...given };
}

/** A literal as far as sizes need it: a number, or something with a length. */
function toSize(value: ValueNode | undefined): unknown {
  if (value?.kind === Kind.INT) return Number(value.value);
  return value?.kind === Kind.LIST ? value.values : undefined;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? Math.min(value.length, MAX_PAGE_SIZE) : 1;
}
