// What Prisma cannot express for a funnel's workflow: locks, ids and times drawn before rows exist, and a permutation in one statement.
import type { Row } from '../../resources/description/resource.ts';
import type { funnelStep } from '../../resources/funnel-steps.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Transaction } from '../store.ts';
import { funnelTable } from '../tables/funnels.ts';
import { tableOf } from '../tables/tables.ts';
import { changeTime } from './records.ts';

/** The ids that identify a funnel's rows. */
export interface FunnelIds {
  readonly id: bigint;
  readonly workspaceId: bigint;
}

interface Changed {
  /** The time of its last change. */
  readonly updatedAt: Date;
}

/** Locks a funnel against other changes until the transaction ends. @returns null when the workspace has no such funnel */
export async function lockFunnel(tx: Transaction, { id, workspaceId }: FunnelIds): Promise<Changed | null> {
  const [locked] = await tx.$queryRaw<Changed[]>`select f.updated_at as "updatedAt" from funnels f
    where f.workspace_id = ${workspaceId} and f.id = ${id} for update`;
  return locked ?? null;
}

/** Locks pages of a workspace, so that their `updated_at` never goes back. */
export function lockPages(tx: Transaction, workspaceId: bigint, ids: readonly bigint[]): Promise<Changed[]> {
  return tx.$queryRaw<Changed[]>`select p.updated_at as "updatedAt" from pages p
    where p.workspace_id = ${workspaceId} and p.id = any(${ids}::bigint[]) order by p.id for no key update`;
}

/** Takes ascending ids for new steps. */
export async function drawStepIds(tx: Transaction, count: number): Promise<bigint[]> {
  const drawn = await tx.$queryRaw<
    { id: bigint }[]
  >`select draw_id(${TYPE_NUMBER.funnel_steps}, 'funnel_steps_id_seq') as id
    from generate_series(1, ${count})`;
  return drawn.map(({ id }) => id);
}

const FUNNELS = tableOf(funnelTable);

/** Takes the time of a change of funnels. */
export async function drawTime(tx: Transaction): Promise<Date> {
  const [drawn] = await tx.$queryRawUnsafe<{ now: Date }[]>(`select ${changeTime(FUNNELS)} as now`);
  if (drawn === undefined) throw new TypeError('No time was drawn');
  return drawn.now;
}

/** A step of a workflow that is being changed. */
export type WorkflowStep = Readonly<
  Pick<
    Row<typeof funnelStep>,
    'id' | 'kind' | 'parentId' | 'branch' | 'position' | 'name' | 'filterId' | 'leftWeight'
  >
> & { readonly pageId: bigint | null };

/** Writes steps that each change differently, in one statement. */
export async function writeEach(
  tx: Transaction,
  workspaceId: bigint,
  steps: readonly WorkflowStep[],
  updatedAt: Date,
): Promise<void> {
  const of = (property: keyof WorkflowStep) => steps.map((step) => step[property]);
  await tx.$executeRawUnsafe(
    `update funnel_steps s set parent_id = m.parent_id, branch = m.branch, position = m.position, name = m.name,
      page_id = m.page_id, filter_id = m.filter_id, left_weight = m.left_weight, updated_at = $10::timestamptz
    from unnest($2::bigint[], $3::bigint[], $4::branch[], $5::int[], $6::text[], $7::bigint[], $8::bigint[], $9::int[])
      as m (id, parent_id, branch, position, name, page_id, filter_id, left_weight)
    where s.workspace_id = $1::bigint and s.id = m.id`,
    ...[workspaceId, of('id'), of('parentId'), of('branch'), of('position'), of('name')],
    ...[of('pageId'), of('filterId'), of('leftWeight'), updatedAt],
  );
}
