// Avoids reading a parent object of which only lists are selected: the statement for each list also checks access to the parent. If
// anything is refused, the operation is executed again and reads every parent (fast-path/), so that a missing parent itself is null with
// an error instead of its lists.
import { getNamedType, isObjectType, Kind, type SelectionSetNode } from 'graphql';
import { notFound } from '../errors.ts';
import type { GraphContext } from './context.ts';
import { typeOptions } from './field-options.ts';
import { lookAhead, type ResolveInfo } from './look-ahead.ts';

/** Stands in for an object that was not read. */
class UnreadParent {
  readonly type: string;
  readonly id: bigint;

  constructor(type: string, id: bigint) {
    this.type = type;
    this.id = id;
  }
}

const cache = new WeakMap<object, boolean>();

/** Whether a selection consists of at least one list, and otherwise only ids. Computed once for each field of a cached document. */
function asksForListsAlone(info: ResolveInfo): boolean {
  const [node] = info.fieldNodes;
  // The cache is by node: with several nodes, another operation may combine them differently.
  if (node === undefined || info.fieldNodes.length > 1) return false;
  const cached = cache.get(node);
  if (cached !== undefined) return cached;
  const onlyId = lookAhead(info)?.every((column) => column === 'id') ?? false;
  const answer = onlyId && node.selectionSet !== undefined && hasList(info, node.selectionSet);
  cache.set(node, answer);
  return answer;
}

/** Whether the selection contains a list directly. Fragments do not count, since they may not apply to the type. */
function hasList({ returnType }: ResolveInfo, { selections }: SelectionSetNode): boolean {
  const type = getNamedType(returnType);
  return selections.some((selection) => {
    if (selection.kind !== Kind.FIELD || !isObjectType(type)) return false;
    if (selection.directives !== undefined && selection.directives.length > 0) return false;
    const field = type.getFields()[selection.name.value];
    return field !== undefined && typeOptions(getNamedType(field.type)).isConnection === true;
  });
}

/** The object with this id: an UnreadParent if that is enough, otherwise loaded; null if it does not exist. */
export async function loadParent<T extends object>(
  ctx: GraphContext,
  id: bigint,
  info: ResolveInfo,
  load: (ctx: GraphContext, id: bigint) => Promise<T | null>,
): Promise<T | null> {
  const { state } = ctx;
  const type = getNamedType(info.returnType).name;
  if (state.missing.has(`${type} ${id}`)) return null;
  if (!state.assumesParents || !asksForListsAlone(info)) return load(ctx, id);
  return new UnreadParent(type, id) as object as T;
}

/** Passes on what was read below a parent. @throws AppError `not_found` when the parent was not read and does not exist */
export function requireParent<T>(
  { state }: GraphContext,
  parent: object,
  found: Promise<T | null>,
): Promise<T | null> {
  if (!(parent instanceof UnreadParent)) return found;
  return found.then(
    (list) => {
      if (list !== null) return list;
      state.missing.add(`${parent.type} ${parent.id}`);
      state.mustReadParents = true;
      throw notFound('The object');
    },
    (error) => {
      state.mustReadParents = true;
      throw error;
    },
  );
}

/** Records that a field of an object was refused. If the object was not read, it must be read now to find out whether it exists. */
export function recordRefusedField({ state }: GraphContext, parent: unknown): void {
  if (parent instanceof UnreadParent) state.mustReadParents = true;
}
