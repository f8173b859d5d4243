// Arguments of root fields that find one object by exactly one of several keys, such as `id` and `databaseId`.
import { invalid, notFound } from '../errors.ts';
import type { GraphContext } from './context.ts';
import { type NodeType, parseGlobalId } from './nodes.ts';

/** @throws AppError `invalid` unless exactly one of the arguments was given */
export function requireOneOf(args: Record<string, unknown>, names: readonly [string, ...string[]]): void {
  if (names.filter((name) => args[name] != null).length !== 1) {
    throw invalid(names[0], `Give exactly one of ${names.join(', ')}.`);
  }
}

/**
 * Loads the object with this global id or integer id.
 * @throws AppError `invalid` for another type's id, or unless exactly one was given; `not_found` when there is none
 */
export async function loadById<Row>(
  ctx: GraphContext,
  type: NodeType<Row>,
  args: { id?: string | null | undefined; databaseId?: bigint | null | undefined },
): Promise<Row> {
  requireOneOf(args, ['id', 'databaseId']);
  const id = args.id == null ? args.databaseId : parseGlobalId(type, args.id, 'id');
  const row = id == null ? null : await type.load(ctx, id);
  if (row === null) throw notFound(type.name);
  return row;
}
