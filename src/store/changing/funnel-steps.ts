// A funnel's workflow as it is changed: read as a whole and written as a whole under the funnel's lock, by a constant number of statements.

import type { funnelStep } from '../../resources/funnel-steps.ts';
import type { Row } from '../../resources/resource.ts';
import type { Executor } from '../connections/executor.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import { shows } from '../sql/showing-steps.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { funnelTable } from '../tables/funnels.ts';
import { tableOf } from '../tables/tables.ts';
import { insertRows } from './insert-rows.ts';
import { timeOf } from './records.ts';

const FUNNELS = tableOf(funnelTable);

/** A step of a workflow under change. */
export type WorkflowStep = Readonly<
  Pick<
    Row<typeof funnelStep>,
    'id' | 'kind' | 'parentId' | 'branch' | 'position' | 'name' | 'filterId' | 'leftWeight'
  >
> & { readonly pageId: bigint | null };

/** The ids that find a funnel's rows. */
export interface FunnelIds {
  readonly id: bigint;
  readonly workspaceId: bigint;
}

/** A funnel of the caller; null if there is none. A distributed store can lock a row only when it knows the workspace. */
export async function findFunnel(tx: Executor, tenancy: Tenancy, id: bigint): Promise<FunnelIds | null> {
  const [found] = await tx.$queryRawUnsafe<FunnelIds[]>(
    `select f.id, f.workspace_id as "workspaceId" from funnels f join workspaces w on w.id = f.workspace_id
    where f.id = $1::bigint and w.team_id = $2::bigint and ($3::bigint[] is null or f.workspace_id = any($3::bigint[]))`,
    ...[id, tenancy.teamId, tenancy.workspaceIds],
  );
  return found ?? null;
}

/** Locks a funnel against other changes until the transaction ends. @returns whether there is one in the workspace */
export async function lockFunnel(tx: Executor, { id, workspaceId }: FunnelIds): Promise<boolean> {
  const locked = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    'select f.id from funnels f where f.workspace_id = $1::bigint and f.id = $2::bigint for update',
    ...[workspaceId, id],
  );
  return locked.length > 0;
}

/** The steps of a locked funnel, in any order. */
export async function findWorkflow(tx: Executor, { id, workspaceId }: FunnelIds): Promise<WorkflowStep[]> {
  return tx.$queryRawUnsafe<WorkflowStep[]>(
    `select t.id, t.kind::text as kind, t.parent_id as "parentId", t.branch::text as branch, t.position, t.name,
      t.page_id as "pageId", t.filter_id as "filterId", t.left_weight as "leftWeight"
    from funnel_steps t where t.workspace_id = $1::bigint and t.funnel_id = $2::bigint and t.removed_at is null`,
    ...[workspaceId, id],
  );
}

/** What a saved filter of the workspace selects; null where there is none. */
export async function findFilterClass(tx: Executor, workspaceId: bigint, id: bigint): Promise<string | null> {
  const [found] = await tx.$queryRawUnsafe<{ filterClass: string }[]>(
    `select f.filter_class as "filterClass" from refine_filters f where f.workspace_id = $1::bigint and f.id = $2::bigint`,
    ...[workspaceId, id],
  );
  return found?.filterClass ?? null;
}

/** Takes ascending ids for new steps. */
export async function drawStepIds(tx: Executor, count: number): Promise<bigint[]> {
  const drawn = await tx.$queryRawUnsafe<{ id: bigint }[]>(
    `select draw_id(${TYPE_NUMBER.funnel_steps}, 'funnel_steps_id_seq') as id from generate_series(1, $1::int)`,
    count,
  );
  return drawn.map(({ id }) => id);
}

/** A page that may be put into a workflow. */
export interface FreePage {
  readonly id: bigint;
  readonly name: string;
  /** The step that shows it; null: none does. */
  readonly stepId: bigint | null;
}

/** Those of the pages that are visible in the workspace. */
export async function findFreePages(
  tx: Executor,
  workspaceId: bigint,
  ids: readonly bigint[],
): Promise<FreePage[]> {
  return tx.$queryRawUnsafe<FreePage[]>(
    `select p.id, p.name, (select s.id from funnel_steps s where ${shows('s', 'p.workspace_id', 'p.id')}) as "stepId"
    from pages p where p.workspace_id = $1::bigint and p.id = any($2::bigint[]) and p.discarded_at is null`,
    ...[workspaceId, ids],
  );
}

/** What a change makes of a workflow. */
export interface WorkflowChanges {
  readonly added: readonly WorkflowStep[];
  readonly changed: readonly WorkflowStep[];
  /** What is changed, as it was. */
  readonly were: readonly WorkflowStep[];
  /** The steps that are marked as removed, and their pages as discarded, with time and reason. Nothing is deleted. */
  readonly removal: {
    readonly removed: readonly WorkflowStep[];
    readonly reason: string;
    readonly at: Date;
  } | null;
}

/** Writes what has changed in a locked funnel, and that the funnel has. */
export async function writeWorkflow(
  tx: Executor,
  { id, workspaceId }: FunnelIds,
  { added, changed, were, removal }: WorkflowChanges,
): Promise<void> {
  const now = await timeOf(tx, FUNNELS);
  // First: a step that moves into the place of a removed one must find it free.
  if (removal !== null) await retire(tx, workspaceId, removal, now);
  // Before others move below them.
  await insertRows(tx, {
    insert: `insert into funnel_steps (workspace_id, id, parent_id, branch, position, name, page_id, filter_id, left_weight,
      funnel_id, kind, created_at, updated_at)`,
    workspaceId,
    types: [
      ...['bigint', 'bigint', 'branch', 'int', 'text', 'bigint', 'bigint', 'int'],
      ...['bigint', 'step_kind', 'timestamptz', 'timestamptz'],
    ],
    rows: added.map((step) => [step.id, ...columnsOf([step]).flat(), id, step.kind, now, now]),
    returning: 'id',
  });
  if (changed.length > 0)
    await tx.$executeRawUnsafe(
      `update funnel_steps s set parent_id = m.parent_id, branch = m.branch, position = m.position, name = m.name,
        page_id = m.page_id, filter_id = m.filter_id, left_weight = m.left_weight, updated_at = later_time(s.updated_at, $10::timestamptz)
      from unnest($2::bigint[], $3::bigint[], $4::branch[], $5::int[], $6::text[], $7::bigint[], $8::bigint[], $9::int[])
        as m (id, parent_id, branch, position, name, page_id, filter_id, left_weight)
      where s.workspace_id = $1::bigint and s.id = m.id`,
      ...[workspaceId, changed.map((step) => step.id), ...columnsOf(changed), now],
    );
  const others = pagesOf([...added, ...changed]).symmetricDifference(pagesOf(were));
  await tellPages(tx, workspaceId, [...others]);
  await tx.$executeRawUnsafe(
    `update funnels f set row_version = f.row_version + 1, updated_at = later_time(f.updated_at, $3::timestamptz)
      where f.workspace_id = $1::bigint and f.id = $2::bigint`,
    ...[workspaceId, id, now],
  );
}

const pagesOf = (steps: readonly WorkflowStep[]) => new Set(steps.flatMap(({ pageId }) => pageId ?? []));

/**
 * Has pages say whether a step shows them (`is_shown`), after steps were written. On one PostgreSQL triggers have done it; a shard has none.
 * No change of the pages is recorded, and `updated_at` stays.
 */
export async function tellPages(
  tx: Pick<Executor, '$executeRawUnsafe'>,
  workspaceId: bigint,
  ids: readonly bigint[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx.$executeRawUnsafe(
    `update pages p set is_shown = not p.is_shown where p.workspace_id = $1::bigint and p.id = any($2::bigint[])
      and p.is_shown <> ((select true from funnel_steps s where ${shows('s', '$1::bigint', 'p.id')}) is not null)`,
    ...[workspaceId, ids],
  );
}

/** The values of each column that a change may set. */
function columnsOf(steps: readonly WorkflowStep[]): unknown[][] {
  const of = (property: keyof WorkflowStep) => steps.map((step) => step[property]);
  return [
    ...[of('parentId'), of('branch'), of('position'), of('name')],
    ...[of('pageId'), of('filterId'), of('leftWeight')],
  ];
}

async function retire(
  tx: Executor,
  workspaceId: bigint,
  { removed, reason, at }: NonNullable<WorkflowChanges['removal']>,
  now: string,
): Promise<void> {
  const ids = removed.map((step) => step.id);
  const pageIds = removed.flatMap(({ pageId }) => pageId ?? []);
  // Before the steps: a trigger finds that the pages know it already.
  await tx.$executeRawUnsafe(
    `update pages p set discarded_at = $4::timestamptz, discard_reason = $5, is_shown = false,
      updated_at = later_time(p.updated_at, $3::timestamptz) where p.workspace_id = $1::bigint and p.id = any($2::bigint[])`,
    ...[workspaceId, pageIds, now, at, reason],
  );
  // The record of the removal has the filters. Without them here, they can be deleted.
  await tx.$executeRawUnsafe(
    `update funnel_steps s set removed_at = $4::timestamptz, removal_reason = $5, filter_id = null,
      updated_at = later_time(s.updated_at, $3::timestamptz) where s.workspace_id = $1::bigint and s.id = any($2::bigint[])`,
    ...[workspaceId, ids, now, at, reason],
  );
}
