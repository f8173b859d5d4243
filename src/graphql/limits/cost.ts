// Static cost analysis: the depth of an operation, and an upper bound, from its page sizes, for the rows it reads and the values in its
// answer. Pure.
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLResolveInfo,
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
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../pagination.ts';
import { assumedRows, fieldOptions, typeOptions } from '../field-options.ts';
import { fragmentsOf } from '../fragments.ts';

interface Cost {
  /** Levels of nested fields, leaf fields included. */
  readonly depth: number;
  /** Rows read from the store. A page counts with its full size, whatever is selected. */
  readonly rows: number;
  /** Further rows, which are read once for all objects of the nearest list with `sharesReads`. */
  readonly sharedRows: number;
  /** Lists and look-ups. One inside a list counts once, because it is read for all parents together. */
  readonly reads: number;
  /** Values in the answer: objects and leaf values. */
  readonly values: number;
}

export type Variables = Readonly<Record<string, unknown>>;

const NO_COST: Cost = { depth: 0, rows: 0, sharedRows: 0, reads: 0, values: 0 };
const LEAF: Cost = { ...NO_COST, depth: 1 };
/** Long response keys count as further values: one for each full multiple of this length. */
const NAME_CHARS = 16;

/**
 * The cost of an operation. The cost of a fragment is computed once for each page size and then reused, so that nested fragments do
 * not take exponential time.
 */
export function computeCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Variables,
): Omit<Cost, 'sharedRows'> {
  const root = schema.getRootType(operation.operation);
  if (root == null) return NO_COST;
  const { ofSelections } = analyse(schema, fragmentsOf(document), withDefaults(operation, given));
  const { sharedRows, ...cost } = ofSelections(operation.selectionSet, root, null);
  return { ...cost, rows: cost.rows + sharedRows };
}

/**
 * The field with the largest part of a cost: the deepest one that exceeds the limit alone, or the largest field of the root if none does.
 * @param limit of the measure, in an operation that exceeds it
 * @returns its response keys, and its first node
 */
export function largestField(
  measure: 'rows' | 'values',
  limit: number,
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  given: Variables,
): { readonly path: readonly string[]; readonly node: FieldNode | undefined } {
  const fragments = fragmentsOf(document);
  const { ofField, below } = analyse(schema, fragments, withDefaults(operation, given));
  const root = schema.getRootType(operation.operation);
  const path: string[] = [];
  let node: FieldNode | undefined;
  const { selectionSet } = operation;
  let level: Level | null =
    root == null ? null : { selectionSet, type: root, pageSize: null, size: 1, shares: 'none' };
  let times = 1;
  let timesShared = 1;
  while (level !== null) {
    const { pageSize } = level;
    const fields = fieldsOf(schema, fragments, level).map(([node, type]) => {
      const cost = ofField(node, type, pageSize);
      const shared = measure === 'rows' ? timesShared * cost.sharedRows : 0;
      return { node, type, cost: times * cost[measure] + shared };
    });
    const [largest] = fields.toSorted((a, b) => b.cost - a.cost);
    if (largest === undefined || (node !== undefined && largest.cost <= limit)) break;
    node = largest.node;
    path.push((node.alias ?? node.name).value);
    level = below(node, largest.type, pageSize);
    if (level?.shares === 'all') timesShared = times;
    times *= level?.size ?? 1;
    if (level?.shares === 'none') timesShared = times;
  }
  return { path, node };
}

/** The rows that an operation may read for each object of a list: the object and its selection. */
export function rowsOfItem(
  { schema, fragments, operation, fieldNodes, returnType, parentType, fieldName }: GraphQLResolveInfo,
  given: Variables,
): number {
  const type = getNamedType(returnType);
  const field = schema.getField(parentType, fieldName);
  if (!isCompositeType(type) || field === undefined) return 0;
  const { ofSelections } = analyse(
    schema,
    new Map(Object.entries(fragments)),
    withDefaults(operation, given),
  );
  const selections = fieldNodes.flatMap(({ selectionSet }) => selectionSet?.selections ?? []);
  const below = ofSelections({ kind: Kind.SELECTION_SET, selections }, type, null);
  const { sharesReads, rows: assumed = 1 } = fieldOptions(field);
  // What is shared grows with the list as well.
  const shared = below.sharedRows / (sharesReads === true ? assumed : 1);
  return (readsRows(field, type) ? 1 : 0) + below.rows + shared;
}

/** What a field selects, for each of `size` objects. `pageSize`: the length of the lists in a connection, null outside connections */
interface Level {
  readonly selectionSet: SelectionSetNode;
  readonly type: GraphQLCompositeType;
  readonly pageSize: number | null;
  readonly size: number;
  /** Which objects share reads: all of the field, none, or also those of other fields, of the same list. */
  readonly shares: 'all' | 'none' | 'with_others';
}

/** The costs of an operation's selections and fields. `pageSize` as in Level. */
interface Analysis {
  ofSelections(selectionSet: SelectionSetNode, type: GraphQLCompositeType, pageSize: number | null): Cost;
  ofField(node: FieldNode, parent: GraphQLCompositeType, pageSize: number | null): Cost;
  /** Null for a field without a selection. */
  below(node: FieldNode, parent: GraphQLCompositeType, pageSize: number | null): Level | null;
}

function analyse(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: Variables,
): Analysis {
  const fragmentCosts = new Map<string, Cost>();

  function costOfFragment(name: string, pageSize: number | null): Cost {
    const key = `${name} ${pageSize}`;
    const computed = fragmentCosts.get(key);
    if (computed !== undefined) return computed;
    // A fragment spread inside itself costs nothing; validation refuses it anyway.
    fragmentCosts.set(key, NO_COST);
    const fragment = fragments.get(name);
    const type = fragment && schema.getType(fragment.typeCondition.name.value);
    const cost =
      fragment && isCompositeType(type) ? costOfSelections(fragment.selectionSet, type, pageSize) : NO_COST;
    fragmentCosts.set(key, cost);
    return cost;
  }

  function costOfSelections(
    { selections }: SelectionSetNode,
    type: GraphQLCompositeType,
    pageSize: number | null,
  ): Cost {
    let sum = NO_COST;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        sum = add(sum, costOfField(selection, type, pageSize));
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        const named = selection.typeCondition && schema.getType(selection.typeCondition.name.value);
        sum = add(
          sum,
          costOfSelections(selection.selectionSet, isCompositeType(named) ? named : type, pageSize),
        );
      } else {
        sum = add(sum, costOfFragment(selection.name.value, pageSize));
      }
    }
    return sum;
  }

  function costOfField(node: FieldNode, parent: GraphQLCompositeType, pageSize: number | null): Cost {
    // The name of the type distinguishes the objects of unions and keys a client's cache. Its repetitions are one value.
    if (node.name.value === '__typename' && node.alias === undefined) return LEAF;
    // Introspection has its own limit (introspection-size.ts).
    const ownValues = 1 + Math.floor((node.alias ?? node.name).value.length / NAME_CHARS);
    const value: Cost = { ...LEAF, values: ownValues };
    if (node.name.value.startsWith('__')) return value;
    const field = schema.getField(parent, node.name.value);
    if (field === undefined) return value;
    const { cost: rows = 0 } = fieldOptions(field);
    const level = below(node, parent, pageSize);
    if (level === null) return { ...value, rows };
    const { type, size, pageSize: page, shares } = level;
    const inner = costOfSelections(level.selectionSet, type, page);
    const own = rows + (page ?? 0) + size * ((readsRows(field, type) ? 1 : 0) + inner.rows);
    const sharedTimes = { all: 1, none: page ?? size, with_others: 0 }[shares];
    const read = own + sharedTimes * inner.sharedRows;
    const passedOn = shares === 'with_others' ? inner.sharedRows : 0;
    const { isShared } = fieldOptions(field);
    return {
      depth: 1 + inner.depth,
      ...(isShared === true
        ? { rows: 0, sharedRows: read + passedOn }
        : { rows: read, sharedRows: passedOn }),
      reads: inner.reads + (page !== null || readsRows(field, type) ? 1 : 0),
      values: ownValues + size * (1 + inner.values),
    };
  }

  function below(node: FieldNode, parent: GraphQLCompositeType, pageSize: number | null): Level | null {
    const { selectionSet } = node;
    const field = schema.getField(parent, node.name.value);
    const type = field && getNamedType(field.type);
    if (field === undefined || !isCompositeType(type) || selectionSet === undefined) return null;
    const page = typeOptions(type).isConnection === true ? pageSizeOf(field, node, variables) : null;
    const { sharesReads, sameRows } = fieldOptions(field);
    const shares = sharesReads === true ? 'all' : sameRows === true ? 'with_others' : 'none';
    return { selectionSet, type, pageSize: page, size: listSize(field, node, variables, pageSize), shares };
  }

  return { ofSelections: costOfSelections, ofField: costOfField, below };
}

/** The fields of a selection with their parent types, those of its fragments included. A fragment counts once. */
function fieldsOf(
  schema: GraphQLSchema,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  { selectionSet, type }: Pick<Level, 'selectionSet' | 'type'>,
  seen = new Set<string>(),
): (readonly [FieldNode, GraphQLCompositeType])[] {
  return selectionSet.selections.flatMap((selection) => {
    if (selection.kind === Kind.FIELD) return [[selection, type] as const];
    const isSpread = selection.kind === Kind.FRAGMENT_SPREAD;
    if (isSpread && seen.has(selection.name.value)) return [];
    if (isSpread) seen.add(selection.name.value);
    const fragment = isSpread ? fragments.get(selection.name.value) : selection;
    const named = fragment?.typeCondition && schema.getType(fragment.typeCondition.name.value);
    if (fragment === undefined) return [];
    return fieldsOf(
      schema,
      fragments,
      { selectionSet: fragment.selectionSet, type: isCompositeType(named) ? named : type },
      seen,
    );
  });
}

/** Whether the cost of the document's operations depends on variables, used as a page size or a list of ids. */
export function hasVariableSizes(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Argument({ name, value }) {
      found ||= SIZE_ARGUMENTS.has(name.value) && value.kind !== Kind.INT;
    },
  });
  return found;
}

/** The arguments that pageSizeOf and listSize read. */
const SIZE_ARGUMENTS = new Set(['first', 'last', 'ids']);

function add(a: Cost, b: Cost): Cost {
  return {
    depth: Math.max(a.depth, b.depth),
    rows: a.rows + b.rows,
    sharedRows: a.sharedRows + b.sharedRows,
    reads: a.reads + b.reads,
    values: a.values + b.values,
  };
}

/** Whether a field reads the rows that it returns. The rows of a page are counted with their connection. */
function readsRows(field: Field, type: GraphQLCompositeType): boolean {
  return fieldOptions(field).sameRows !== true && isNode(type);
}

/** Types that implement Node are rows of the store, except parts of rows. */
function isNode(type: GraphQLCompositeType): boolean {
  if (typeOptions(type).isPart === true) return false;
  if (type.name === 'Node') return true;
  return (
    (isObjectType(type) || isInterfaceType(type)) && type.getInterfaces().some(({ name }) => name === 'Node')
  );
}

type Field = GraphQLField<unknown, unknown>;

/** The number of objects that a field is assumed to return for one parent. */
function listSize(field: Field, node: FieldNode, variables: Variables, pageSize: number | null): number {
  if (!isListType(getNullableType(field.type))) return 1;
  const { rows, rowsOf } = fieldOptions(field);
  if (rows !== undefined) return rows;
  if (rowsOf !== undefined) return lengthOf(argument(node, rowsOf, variables));
  // Every list outside connections declares its size.
  return pageSize ?? assumedRows();
}

/** The page size of a connection by its arguments, capped as in pagination.ts. */
function pageSizeOf(field: Field, node: FieldNode, variables: Variables): number {
  const { rows } = fieldOptions(field);
  if (rows !== undefined) return rows;
  const size = argument(node, 'first', variables) ?? argument(node, 'last', variables) ?? DEFAULT_PAGE_SIZE;
  return typeof size === 'number' ? Math.min(Math.max(size, 1), MAX_PAGE_SIZE) : MAX_PAGE_SIZE;
}

function argument(node: FieldNode, name: string, variables: Variables): unknown {
  const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
  return value?.kind === Kind.VARIABLE ? variables[value.name.value] : toSize(value);
}

function withDefaults({ variableDefinitions = [] }: OperationDefinitionNode, given: Variables): Variables {
  const defaults = variableDefinitions.map(({ variable, defaultValue }) => [
    variable.name.value,
    toSize(defaultValue),
  ]);
  return { ...Object.fromEntries(defaults), ...given };
}

/** The value of an integer literal, or the items of a list literal. */
function toSize(value: ValueNode | undefined): unknown {
  if (value?.kind === Kind.INT) return Number(value.value);
  return value?.kind === Kind.LIST ? value.values : undefined;
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? Math.min(value.length, MAX_PAGE_SIZE) : 1;
}
