// Objects of which nothing is asked for but their lists: they are not read. Each list is read together with whether its parent is the
// caller's, so that one statement answers both. Only where the operation can be executed again as it is written (fast-path/): there an
// object that is not there is null with an error, here its lists fail.
import { getNamedType, isObjectType, Kind, type SelectionSetNode } from 'graphql';
import { notFound } from '../errors.ts';
import type { GraphContext } from './context.ts';
import { typeOptions } from './field-options.ts';
import { lookAhead, type ResolveInfo } from './look-ahead.ts';

/** An object that was not read. */
class UnreadParent {
  readonly id: bigint;

  constructor(id: bigint) {
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

/** The object with this id, unread, where that is enough; else null. */
export function unreadParent(ctx: GraphContext, id: bigint, info: ResolveInfo): UnreadParent | null {
  return ctx.state.assumesParents && asksForListsAlone(info) ? new UnreadParent(id) : null;
}

/** What was read below a parent. @throws AppError `not_found` where the parent is not there, and was not read */
export function requireParent<T>(parent: object, found: Promise<T | null>): Promise<T | null> {
  if (!(parent instanceof UnreadParent)) return found;
  return found.then((list) => {
    if (list === null) throw notFound('The object');
    return list;
  });
}
