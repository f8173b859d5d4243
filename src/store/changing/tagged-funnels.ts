// Updates the table `tagged_funnels` after a funnel was written, in stores without the triggers of the migration tagged_funnels
// (shard-placement/).
import type { Executor } from '../connections/executor.ts';

const LOCK = `select f.id from funnels f where f.workspace_id = $1::bigint and f.id = $2::bigint for no key update`;

const DELETE = `delete from tagged_funnels m where m.workspace_id = $1::bigint and m.funnel_id = $2::bigint
  and not exists (select from funnels f where f.workspace_id = $1::bigint and f.id = $2::bigint and m.tag_id = any(f.tag_ids))`;

const WRITE = `insert into tagged_funnels (workspace_id, funnel_id, tag_id, applied_at)
  select f.workspace_id, f.id, g.id, f.updated_at
  from funnels f cross join lateral (select distinct unnest(f.tag_ids) as id) g where f.workspace_id = $1::bigint and f.id = $2::bigint
  on conflict (workspace_id, funnel_id, tag_id) do nothing`;

/** Updates the rows of one funnel. Locks the funnel, so that the later of two concurrent changes sees both. */
export async function updateTaggedFunnels(
  tx: Pick<Executor, '$queryRawUnsafe' | '$executeRawUnsafe'>,
  workspaceId: bigint,
  funnelId: bigint,
): Promise<void> {
  await tx.$queryRawUnsafe(LOCK, workspaceId, funnelId);
  await tx.$executeRawUnsafe(DELETE, workspaceId, funnelId);
  await tx.$executeRawUnsafe(WRITE, workspaceId, funnelId);
}
