// Sums up the hours of pages, and finds the steps that show pages.
import { BlockRow, type RowBlock, textOf } from '../../rows/row-block.ts';
import { showingStep } from '../sql/showing-steps.ts';
import { type NamedStatement, named, type Values } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import type { RowOwner } from '../tenancy/row-owners.ts';
import { readRows, scanRows } from './reads.ts';

/** The sums of one page, or of several pages on one day. */
export interface Sums {
  /** The page's id; or the index of the span, a space, and the day in UTC. */
  readonly of: string;
  /** Empty for views, which have no currency. */
  readonly currency: string;
  readonly viewsAll: number;
  readonly viewsUnique: number;
  readonly optins: number;
  readonly salesCount: number;
  readonly salesValue: string;
  readonly recurringSalesCount: number;
  readonly recurringSalesValue: string;
}

/** The hours to sum up: of pages of one workspace, from the beginning of an hour to the beginning of another. */
export interface Span {
  readonly workspaceId: bigint;
  readonly pageIds: readonly bigint[];
  readonly from: Date;
  readonly to: Date;
}

const OWNERS: readonly RowOwner[] = [{ of: 'workspace', field: 0, row: 0 }];

/** @param of the key by which they are grouped @param pages the ids of the pages */
const sumsBy = (name: string, of: string, from: string, pages: string): NamedStatement =>
  named(
    `page_hours.by_${name}`,
    `select t.workspace_id, ${of}, t.currency, sum(t.views_all), sum(t.views_unique), sum(t.optins),
      sum(t.sales_count), sum(t.sales_value), sum(t.recurring_sales_count), sum(t.recurring_sales_value)
    from ${from}
    where t.workspace_id = $workspace_id::bigint and ${pages} and t.hour >= $from::timestamptz and t.hour < $to::timestamptz
    group by 1, 2, 3 order by 2, 3`,
  );

const OF_PAGES = 't.page_id = any($page_ids::bigint[])';
const BY_PAGE = sumsBy('page', 't.page_id', 'page_hours t', OF_PAGES);
// `OF_PAGES` too, because with the join alone PostgreSQL might read the hours of all pages of the workspace.
const BY_DAY = sumsBy(
  'day',
  `p.nth || ' ' || to_char(t.hour at time zone 'UTC', 'YYYY-MM-DD')`,
  'unnest($page_ids::bigint[], $spans::int[]) p (id, nth), page_hours t',
  `t.page_id = p.id and ${OF_PAGES}`,
);

/** Finds the sums of each page, in each currency. @throws AppError as `scanRows` */
export function findPageSums(
  ctx: StoreContext,
  tenancy: Tenancy,
  { workspaceId, pageIds, from, to }: Span,
): Promise<Sums[]> {
  return findSums(ctx, tenancy, BY_PAGE, { workspace_id: workspaceId, from, to, page_ids: pageIds });
}

/** Finds the sums of each day of each span, in each currency. @throws AppError as `scanRows` */
export function findDaySums(
  ctx: StoreContext,
  tenancy: Tenancy,
  { workspaceId, from, to }: Omit<Span, 'pageIds'>,
  counted: readonly Pick<Span, 'pageIds'>[],
): Promise<Sums[]> {
  const pages = counted.flatMap(({ pageIds }, nth) => pageIds.map((id) => [id, nth] as const));
  return findSums(ctx, tenancy, BY_DAY, {
    ...{ workspace_id: workspaceId, from, to },
    page_ids: pages.map(([id]) => id),
    spans: pages.map(([, nth]) => nth),
  });
}

async function findSums(
  ctx: StoreContext,
  tenancy: Tenancy,
  statement: NamedStatement,
  values: Values,
): Promise<Sums[]> {
  const block = await scanRows(ctx, statement, values, tenancy, OWNERS);
  return rowsOf(block).map(([, of, currency, ...sums]): Sums => {
    const [
      viewsAll,
      viewsUnique,
      optins,
      salesCount,
      salesValue = '',
      recurringSalesCount,
      recurringSalesValue = '',
    ] = sums;
    return {
      ...{
        of: of ?? '',
        currency: currency ?? '',
        viewsAll: Number(viewsAll),
        viewsUnique: Number(viewsUnique),
      },
      ...{ optins: Number(optins), salesCount: Number(salesCount), salesValue },
      ...{ recurringSalesCount: Number(recurringSalesCount), recurringSalesValue },
    };
  });
}

/** The step that shows a page, and its funnel. */
export interface ShowingStep {
  readonly id: bigint;
  readonly pageId: bigint;
  readonly name: string;
  readonly funnel: { readonly id: bigint; readonly publicId: string; readonly name: string };
}

const SHOWING = named(
  'funnel_steps.showing',
  `select s.workspace_id, s.page_id, s.name, f.id, f.public_id, f.name, s.id
    from ${showingStep('$workspace_id::bigint', 'any($page_ids::bigint[])')}`,
);

/** Finds the steps that show these pages of one workspace, at most one for each page. */
export async function findShowingSteps(
  ctx: StoreContext,
  tenancy: Tenancy,
  workspaceId: bigint,
  pageIds: readonly bigint[],
): Promise<ShowingStep[]> {
  const values = { workspace_id: workspaceId, page_ids: pageIds };
  const block = await readRows(ctx, SHOWING, values, tenancy, OWNERS);
  return rowsOf(block).map((fields) => {
    const [, pageId = '', name = '', funnelId = '', publicId = '', funnelName = '', id = ''] = fields;
    const funnel = { id: BigInt(funnelId), publicId, name: funnelName };
    return { id: BigInt(id), pageId: BigInt(pageId), name, funnel };
  });
}

/** The fields of each row as PostgreSQL's text; none of them is null. */
function rowsOf(block: RowBlock): string[][] {
  return Array.from({ length: block.length }, (_, index) => {
    const row = new BlockRow(block, index);
    return Array.from({ length: block.width }, (_, field) => textOf(row, field) ?? '');
  });
}
