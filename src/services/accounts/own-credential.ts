// Reads of credentials by id, of which the caller's own needs no scope and is hidden by no host.
import type { Caller } from '../../auth/actor.ts';
import { requireCaller } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import type { Row } from '../../resources/description/resource.ts';
import type { Described } from '../../resources/nouns.ts';
import { findByIds } from '../../store/reading/rows.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { type Projection, readsOf } from '../reading/reads.ts';

/**
 * Credentials in the order of the ids; null for one that the caller may not see. If the others are refused, the error (AppError
 * `insufficient_scope`) takes their places.
 * @param idOf the id of the caller's own; null: it has none
 */
export function getManyWithOwn<N extends Described>(noun: N, idOf: (caller: Caller) => bigint | null) {
  const { getMany } = readsOf(noun);
  const table = tableOf(noun);
  return async (
    ctx: Context,
    ids: readonly bigint[],
    projection: Projection = null,
  ): Promise<((Row<N> & { id: bigint }) | Error | null)[]> => {
    const caller = requireCaller(ctx);
    const own = idOf(caller);
    if (own === null || !ids.includes(own)) return getMany(ctx, ids, projection);
    const others = ids.filter((id) => id !== own);
    const { teamId, workspaceIds } = caller.tenancy;
    // On a host that shows the caller nothing, not even its team is there.
    const isHidden = workspaceIds?.length === 0;
    const [[mine = null], seen] = await Promise.all([
      isHidden ? [] : findByIds(ctx, table, { teamId, workspaceIds: null }, [own], projection),
      others.length === 0 ? [] : getMany(ctx, others, projection).catch((error: Error) => error),
    ]);
    if (seen instanceof Error) return ids.map((id) => (id === own ? mine : seen));
    const byId = new Map(others.map((id, at) => [id, seen[at] ?? null]));
    return ids.map((id) => (id === own ? mine : (byId.get(id) ?? null)));
  };
}
