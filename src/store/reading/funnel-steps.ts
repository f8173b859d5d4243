// Reads a funnel's complete workflow as rows; changing/funnel-steps.ts changes it.

import type { Row } from '../../resources/description/resource.ts';
import type { funnelStep } from '../../resources/funnel-steps.ts';
import { PAGE_OF_STEP, type PageOfStep, page } from '../../resources/pages.ts';
import {
  type Columns,
  equalColumns,
  layoutOf,
  type RowMaker,
  rowMaker,
  selectList,
} from '../../rows/columns.ts';
import { BlockRow, startOf, textOf } from '../../rows/row-block.ts';
import { statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { IN_WORKFLOW, STEP_COLUMNS, STEP_ORDER, TREE } from '../tables/funnel-steps.ts';
import { pageTable } from '../tables/pages.ts';
import { columnsOf, ownedWorkspace, publicIdOf, WORKSPACE_COLUMN } from '../tables/table.ts';
import { tableOf } from '../tables/tables.ts';
import { type KnownIn, readKnown } from './known-rows.ts';
import { ownersOf, project, type Source } from './projections.ts';
import { readRows } from './reads.ts';

const { owners: PAGE_OWNERS_OF } = tableOf(pageTable);
const PAGE_COLUMNS = columnsOf({ ...page, fields: PAGE_OF_STEP });

type StepColumns = Row<typeof funnelStep>;
export type BranchName = NonNullable<StepColumns['branch']>;

/** A step's place in its funnel's tree. Siblings share parent and branch, and are ordered by position. */
export type TreePosition = Readonly<Pick<StepColumns, 'id' | 'kind' | 'parentId' | 'branch' | 'position'>>;

export interface StepRow extends Readonly<StepColumns> {
  readonly page: PageOfStep | null;
  /** Absent unless the step was read with its page. */
  readonly workspaceId?: bigint;
}

/** The steps with the same parent and branch, in order; never empty. */
export type Siblings = readonly StepRow[];

const STEPS: Source<StepColumns> = {
  name: 'funnel_steps.tree',
  columns: { ...STEP_COLUMNS, ...WORKSPACE_COLUMN },
  owners: { workspaceId: 'workspace' },
  besides: ['page'],
};

/**
 * The columns from which the trees of several funnels' steps are built. Siblings share the first three. All are adjacent and come after the
 * id.
 */
const TREES = ['funnelId', ...TREE];

/** The index of the page's first column, after those of the step. */
const PAGE_OFFSET = Object.keys(STEPS.columns).length;
const PAGE_OWNERS = ownersOf(PAGE_COLUMNS, PAGE_OWNERS_OF, PAGE_OFFSET);
const toPageRow = rowMaker<PageOfStep>(PAGE_COLUMNS, { offset: PAGE_OFFSET });

/** SQL of every step of the funnels `f`, from their ids and workspaces; grouped by siblings, which are in order. */
const stepsOf = (
  funnels: string,
  columns: Columns,
  withPages: boolean,
  workspace: KnownIn['workspace'],
): string =>
  `select ${selectList(columns)}${withPages ? `, ${selectList(PAGE_COLUMNS, 'p')}` : ''}
    from ${funnels}
      join funnel_steps t on t.workspace_id = f.workspace_id and t.funnel_id = f.id and ${IN_WORKFLOW}
      ${withPages ? 'left join pages p on p.workspace_id = t.workspace_id and p.id = t.page_id' : ''}
    where ${ownedWorkspace('f.workspace_id', '$team', '$workspaces')}${workspace === null ? '' : ` and f.workspace_id = ${workspace}`}
    order by t.funnel_id, ${STEP_ORDER}`;

/**
 * Reads every step of those funnels that the caller owns in one statement, grouped by siblings, which are in order.
 * @param projection the properties of steps that the request needs; pages are read only with `page`. null reads all
 */
export async function findSteps(
  ctx: StoreContext,
  tenancy: Tenancy,
  funnelIds: readonly bigint[],
  projection: readonly string[] | null = null,
): Promise<Siblings[]> {
  const withPages = projection?.includes('page') ?? true;
  const projected = project(STEPS, withPages ? null : [...TREES, ...(projection ?? [])], tenancy.teamId);
  const owners = withPages ? [...projected.owners, ...PAGE_OWNERS] : projected.owners;
  const make = withPages ? withPage(projected.make) : (projected.make as RowMaker<StepRow>);
  const ids = [...new Set(funnelIds)];
  const funnels = 'unnest($funnel_ids::bigint[]) i (id) join funnels f on f.id = i.id';
  const blocks = await readKnown(ctx, tenancy, {
    known: { table: 'funnels', ids },
    values: { funnel_ids: ids },
    owners,
    statementOf: ({ suffix, workspace }) =>
      projected.statement(`funnel_steps.of_funnels${suffix}`, () =>
        stepsOf(funnels, projected.columns, withPages, workspace),
      ),
  });
  return blocks.flatMap((rows) => groupSiblings(rows.map(make)));
}

/** Reads every step of the funnels of these steps, if the caller owns them. */
export async function findStepsAround(
  ctx: StoreContext,
  tenancy: Tenancy,
  stepIds: readonly bigint[],
): Promise<Siblings[]> {
  const { columns, make, owners } = project(STEPS);
  const blocks = await readKnown(ctx, tenancy, {
    known: { table: 'funnel_steps', ids: stepIds },
    values: { step_ids: stepIds },
    owners: [...owners, ...PAGE_OWNERS],
    statementOf: ({ suffix, workspace }) =>
      statement(`funnel_steps.around${suffix}`, () =>
        stepsOf(
          `(select distinct o.workspace_id, o.funnel_id as id
          from unnest($step_ids::bigint[]) i (id) join funnel_steps o on o.id = i.id
          where ${workspace === null ? '($workspaces::bigint[] is null or o.workspace_id = any($workspaces))' : `o.workspace_id = ${workspace}`}) f`,
          columns,
          true,
          workspace,
        ),
      ),
  });
  return blocks.flatMap((rows) => groupSiblings(rows.map(withPage(make))));
}

const FUNNEL_OWNERS = [{ of: 'workspace', field: 0, row: 0 }] as const;

/** Finds the funnel of a step, also of one that was removed: a retry of the removal needs it. null if the caller does not own the step. */
export async function findFunnelOfStep(
  ctx: StoreContext,
  tenancy: Tenancy,
  stepId: bigint,
): Promise<bigint | null> {
  const blocks = await readKnown(ctx, tenancy, {
    known: { table: 'funnel_steps', ids: [stepId] },
    values: { step_id: stepId },
    owners: FUNNEL_OWNERS,
    statementOf: ({ suffix, workspace }) =>
      statement(
        `funnel_steps.funnel${suffix}`,
        () => `select t.workspace_id, t.funnel_id from funnel_steps t
          where t.id = $step_id and ${ownedWorkspace('t.workspace_id', '$team', '$workspaces')}${workspace === null ? '' : ` and t.workspace_id = ${workspace}`}`,
      ),
  });
  const [id] = blocks.flatMap((rows) => rows.map((block, index) => textOf(new BlockRow(block, index), 1)));
  return id == null ? null : BigInt(id);
}

/** Splits steps that are ordered by group into groups. A new group begins where the bytes of its columns differ. */
export function groupSiblings(steps: readonly StepRow[]): Siblings[] {
  const groups: Siblings[] = [];
  const [first] = steps;
  const layout = first && layoutOf(first);
  const [begin = 0, end = 0] = [
    (layout?.get('funnelId') ?? layout?.get('parentId'))?.index,
    layout?.get('kind')?.index,
  ];
  let from = 0;
  let last: StepRow | null = null;
  let at = 0;
  for (const step of steps) {
    if (last !== null && !equalColumns(last, step, begin, end)) {
      groups.push(steps.slice(from, at));
      from = at;
    }
    last = step;
    at += 1;
  }
  if (last !== null) groups.push(steps.slice(from));
  return groups;
}

const withPage =
  (make: RowMaker<StepColumns>): RowMaker<StepRow> =>
  (rows, index) => {
    const isPage = startOf(new BlockRow(rows, index), PAGE_OFFSET) >= 0;
    return Object.assign(make(rows, index), { page: isPage ? toPageRow(rows, index) : null });
  };

/** Finds the conditional splits of a saved filter that are in a workflow, at most `limit`. @throws as `readRows` */
export async function findSplitsByFilter(
  ctx: StoreContext,
  tenancy: Tenancy,
  filterId: bigint,
  most: number,
): Promise<{ publicId: string; funnelPublicId: string }[]> {
  const byFilter = statement(
    'funnel_steps.by_filter',
    () => `select t.workspace_id, t.public_id, ${publicIdOf('funnels', 't.funnel_id')}
      from refine_filters f join funnel_steps t on t.workspace_id = f.workspace_id and t.filter_id = f.id
      where f.id = $filter_id and t.removed_at is null and ${ownedWorkspace('f.workspace_id', '$team', '$workspaces')} order by t.id limit $limit`,
  );
  const { workspaceIds } = await ctx.store.placement.nameWorkspaces(tenancy, {
    table: 'refine_filters',
    ids: [filterId],
  });
  const owners = [{ of: 'workspace', field: 0, row: 0 }] as const;
  const values = { team: tenancy.teamId, workspaces: workspaceIds, filter_id: filterId, limit: most };
  const rows = await readRows(ctx, byFilter, values, tenancy, owners);
  return rows.map((block, index) => {
    const row = new BlockRow(block, index);
    return { publicId: textOf(row, 1) ?? '', funnelPublicId: textOf(row, 2) ?? '' };
  });
}
