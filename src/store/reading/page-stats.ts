// Sums over the hours of pages, and which step shows a page.
import { BlockRow, type RowBlock, textOf } from '../../rows/row-block.ts';
import { showingStep } from '../sql/showing-steps.ts';
import type { Statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import type { RowOwner } from '../tenancy/row-owners.ts';
import { readRows, scanRows } from './reads.ts';

/** What was counted of one page, or of several on one day. */
export interface Sums {
  /** The page's id; or which of the spans it is, a space, and the day in UTC. */
  readonly of: string;
  /** Empty for views, which have none. */
  readonly currency: string;
  readonly viewsAll: number;
  readonly viewsUnique: number;
  readonly optins: number;
  readonly salesCount: number;
  readonly salesValue: string;
  readonly recurringSalesCount: number;
  readonly recurringSalesValue: string;
}

/** What is summed up: pages of one workspace, from the beginning of an hour up to that of another. */
export interface Span {
  readonly workspaceId: bigint;
  readonly pageIds: readonly bigint[];
  readonly from: Date;
  readonly to: Date;
}

const OWNERS: readonly RowOwner[] = [{ of: 'workspace', field: 0, row: 0 }];

/** @param of what they are grouped by @param pages of which pages they are */
const sumsBy = (name: string, of: string, from: string, pages: string): Statement => ({
  name: `page_hours.by_${name}`,
  text: `select t.workspace_id, ${of}, t.currency, sum(t.views_all), sum(t.views_unique), sum(t.optins),
      sum(t.sales_count), sum(t.sales_value), sum(t.recurring_sales_count), sum(t.recurring_sales_value)
    from ${from}
    where t.workspace_id = $1::bigint and ${pages} and t.hour >= $2::timestamptz and t.hour < $3::timestamptz
    group by 1, 2, 3 order by 2, 3`,
});

const OF_PAGES = 't.page_id = any($4::bigint[])';
const BY_PAGE = sumsBy('page', 't.page_id', 'page_hours t', OF_PAGES);
// Joined alone, the hours of all pages of the workspace might be read.
const BY_DAY = sumsBy(
  'day',
  `p.nth || ' ' || to_char(t.hour at time zone 'UTC', 'YYYY-MM-DD')`,
  'unnest($4::bigint[], $5::int[]) p (id, nth), page_hours t',
  `t.page_id = p.id and ${OF_PAGES}`,
);

/** The sums of each page, in each currency. @throws AppError as `scanRows` */
export function findPageSums(
  ctx: StoreContext,
  tenancy: Tenancy,
  { workspaceId, pageIds, from, to }: Span,
): Promise<Sums[]> {
  return findSums(ctx, tenancy, BY_PAGE, [workspaceId, from, to, pageIds]);
}

/** The sums of each day of each of these, in each currency. @throws AppError as `scanRows` */
export function findDaySums(
  ctx: StoreContext,
  tenancy: Tenancy,
  { workspaceId, from, to }: Omit<Span, 'pageIds'>,
  counted: readonly Pick<Span, 'pageIds'>[],
): Promise<Sums[]> {
  const pages = counted.flatMap(({ pageIds }, nth) => pageIds.map((id) => [id, nth] as const));
  return findSums(ctx, tenancy, BY_DAY, [
    ...[workspaceId, from, to],
    pages.map(([id]) => id),
    pages.map(([, nth]) => nth),
  ]);
}

async function findSums(
  ctx: StoreContext,
  tenancy: Tenancy,
  statement: Statement,
  values: unknown[],
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
  readonly pageId: bigint;
  readonly name: string;
  readonly funnel: { readonly id: bigint; readonly publicId: string; readonly name: string };
}

const SHOWING: Statement = {
  name: 'funnel_steps.showing',
  text: `select s.workspace_id, s.page_id, s.name, f.id, f.public_id, f.name
    from ${showingStep('$1::bigint', 'any($2::bigint[])')}`,
};

/** The steps that show these pages of one workspace; no page is shown by more than one. */
export async function findShowingSteps(
  ctx: StoreContext,
  tenancy: Tenancy,
  workspaceId: bigint,
  pageIds: readonly bigint[],
): Promise<ShowingStep[]> {
  const block = await readRows(ctx, SHOWING, [workspaceId, pageIds], tenancy, OWNERS);
  return rowsOf(block).map(([, pageId = '', name = '', id = '', publicId = '', funnelName = '']) => {
    return { pageId: BigInt(pageId), name, funnel: { id: BigInt(id), publicId, name: funnelName } };
  });
}

/** The fields of each row as PostgreSQL's text; none of them is null. */
function rowsOf(block: RowBlock): string[][] {
  return Array.from({ length: block.length }, (_, index) => {
    const row = new BlockRow(block, index);
    return Array.from({ length: block.width }, (_, field) => textOf(row, field) ?? '');
  });
}
