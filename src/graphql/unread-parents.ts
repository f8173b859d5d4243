// Objects of which nothing is asked for but their lists: they are not read. Each list is read together with whether its parent is the
// caller's, so that one statement answers both. Where anything is refused, the operation is executed again with every object that it
// names (fast-path/): there an object that is not there is null with an error, here its lists fail.
import { getNamedType, isObjectType, Kind, type SelectionSetNode } from 'graphql';
import { notFound } from '../errors.ts';
import type { GraphContext } from './context.ts';
import { typeOptions } from './field-options.ts';
import { lookAhead, type ResolveInfo } from './look-ahead.ts';

/** An object that was not read. */
class UnreadParent {
  readonly type: string;
  readonly id: bigint;

  constructor(type: string, id: bigint) {
    this.type = type;
    this.id = id;
  }
}

const answers = new WeakMap<object, boolean>();

/** Whether a selection asks for lists, at least one, and for nothing else but ids. Found out once for each field of a cached document. */
function asksForListsAlone(info: ResolveInfo): boolean {
  const [node] = info.fieldNodes;
  // Another operation may select the same field together with others.
  if (node === undefined || info.fieldNodes.length > 1) return false;
  const known = answers.get(node);
  if (known !== undefined) return known;
  const onlyId = lookAhead(info)?.every((column) => column === 'id') ?? false;
  const answer = onlyId && node.selectionSet !== undefined && hasList(info, node.selectionSet);
  answers.set(node, answer);
  return answer;
}

/** Whether a field of the selection itself is a list: fragments of it may not apply. */
function hasList({ returnType }: ResolveInfo, { selections }: SelectionSetNode): boolean {
  const type = getNamedType(returnType);
  return selections.some((selection) => {
    if (selection.kind !== Kind.FIELD || !isObjectType(type)) return false;
    if (selection.directives !== undefined && selection.directives.length > 0) return false;
    const field = type.getFields()[selection.name.value];
    return field !== undefined && typeOptions(getNamedType(field.type)).isConnection === true;
  });
}

/** The object with this id: unread, where that is enough, else loaded; null where it is not there. */
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

/** What was read below a parent. @throws AppError `not_found` where the parent is not there, and was not read */
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

/** Notes that a field of an object was refused: of one that was not read nobody knows whether it is there. */
export function noteRefused({ state }: GraphContext, parent: unknown): void {
  if (parent instanceof UnreadParent) state.mustReadParents = true;
}
