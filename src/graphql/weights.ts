// What an operation weighs: how deep it is, and how many rows it may touch and values it may answer at most, by its page
// sizes. Pure.
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
import { fieldOptions, typeOptions } from './field-options.ts';

export interface Weight {
  /** Fields inside fields, the innermost included. */
  readonly depth: number;
  /** The rows that are read: a page is read in full, whatever is selected of it. */
  readonly rows: number;
  /** The values that are written: objects, and what stands in them. */
  readonly values: number;
}

export type Variables = Readonly<Record<string, unknown>>;

/** Members of a list that says nothing of its size: rows, or values such as a contact's tags. */
const FEW_ROWS = 20;
const FEW_VALUES = 5;

const NOTHING: Weight = { depth: 0, rows: 0, values: 0 };
/** A name of more characters than this makes its value weigh as much as two. */
const NAME_CHARS = 16;

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

  function weighFragment(name: string, pageSize: number | null): Weight {
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

  /** @param pageSize how many objects the lists of a connection have; null outside connections */
  function weighAll(
    { selections }: SelectionSetNode,
    type: GraphQLCompositeType,
    pageSize: number | null,
  ): Weight {
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

  function weighField(node: FieldNode, parent: GraphQLCompositeType, pageSize: number | null): Weight {
    // The schema has limits of its own (introspection-size.ts).
    const itself = 1 + Math.floor((node.alias ?? node.name).value.length / NAME_CHARS);
    const value: Weight = { depth: 1, rows: 0, values: itself };
    if (node.name.value.startsWith('__')) return value;
    const field = schema.getField(parent, node.name.value);
    const type = field && getNamedType(field.type);
    if (field === undefined) return value;
    const rows = costOf(field);
    if (!isCompositeType(type) || node.selectionSet === undefined) return { ...value, rows };
    const page = typeOptions(type).isConnection === true ? pageSizeOf(field, node, variables) : null;
    const inner = weighAll(node.selectionSet, type, page);
    const size = listSize(field, node, variables, pageSize);
    return {
      depth: 1 + inner.depth,
      rows: rows + (page ?? 0) + size * ((isRead(field, type) ? 1 : 0) + inner.rows),
      values: itself + size * (1 + inner.values),
    };
  }

  const root = schema.getRootType(operation.operation);
  return root ? weighAll(operation.selectionSet, root, null) : NOTHING;
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
  return { depth: Math.max(a.depth, b.depth), rows: a.rows + b.rows, values: a.values + b.values };
}

/** What a field costs besides what it returns, in rows. */
function costOf(field: Field): number {
  return fieldOptions(field).cost ?? 0;
}

/** Whether a field reads the rows that it returns: those of a page have been counted with it. */
function isRead(field: Field, type: GraphQLCompositeType): boolean {
  return fieldOptions(field).sameRows !== true && isRow(type);
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
function listSize(field: Field, node: FieldNode, variables: Variables, pageSize: number | null): number {
  if (!isListType(getNullableType(field.type))) return 1;
  const { rows, rowsOf } = fieldOptions(field);
  if (rows !== undefined) return rows;
  if (rowsOf !== undefined) return lengthOf(argument(node, rowsOf, variables));
  if (pageSize !== null) return pageSize;
  const type = getNamedType(field.type);
  return isCompositeType(type) && isRow(type) ? FEW_ROWS : FEW_VALUES;
}

/** The page size that a connection's arguments ask for, as pagination.ts will cap it. */
function pageSizeOf(field: Field, node: FieldNode, variables: Variables): number {
  const { rows } = fieldOptions(field);
  if (rows !== undefined) return rows;
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
