// Sums over the hours of pages, and which step shows a page.
import { BlockRow, type RowBlock, textOf } from '../../rows/row-block.ts';
import { showingStep } from '../sql/showing-steps.ts';
import { type Statement, statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import type { RowOwner } from '../tenancy/row-owners.ts';
import { readRows, scanRows } from './reads.ts';

/** What was counted of one page or of one day. */
export interface Sums {
  /** The page's id, or the day in UTC. */
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

const GROUPS = {
  page: 't.page_id',
  day: `to_char(t.hour at time zone 'UTC', 'YYYY-MM-DD')`,
} as const;

const sumsBy = (group: keyof typeof GROUPS): Statement =>
  statement(
    `page_hours.by_${group}`,
    () => `select t.workspace_id, ${GROUPS[group]}, t.currency, sum(t.views_all), sum(t.views_unique), sum(t.optins),
      sum(t.sales_count), sum(t.sales_value), sum(t.recurring_sales_count), sum(t.recurring_sales_value)
    from page_hours t
    where t.workspace_id = $1::bigint and t.page_id = any($2::bigint[]) and t.hour >= $3::timestamptz and t.hour < $4::timestamptz
    group by 1, 2, 3 order by 2, 3`,
  );

/** The sums of each page, or of each day, in each currency. @throws AppError as `scanRows` */
export async function findSums(
  ctx: StoreContext,
  tenancy: Tenancy,
  { workspaceId, pageIds, from, to }: Span,
  group: keyof typeof GROUPS,
): Promise<Sums[]> {
  const values = [workspaceId, pageIds, from, to];
  const block = await scanRows(ctx, sumsBy(group), values, tenancy, OWNERS);
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
  readonly name: string;
  readonly funnel: { readonly id: bigint; readonly publicId: string; readonly name: string };
}

const SHOWING: Statement = {
  name: 'funnel_steps.showing',
  text: `select s.workspace_id, s.name, f.id, f.public_id, f.name from ${showingStep('$1::bigint', '$2::bigint')}`,
};

/** @returns null where no funnel shows the page */
export async function findShowingStep(
  ctx: StoreContext,
  tenancy: Tenancy,
  workspaceId: bigint,
  pageId: bigint,
): Promise<ShowingStep | null> {
  const [found] = rowsOf(await readRows(ctx, SHOWING, [workspaceId, pageId], tenancy, OWNERS));
  if (found === undefined) return null;
  const [, name = '', id = '', publicId = '', funnelName = ''] = found;
  return { name, funnel: { id: BigInt(id), publicId, name: funnelName } };
}

/** The fields of each row as PostgreSQL's text; none of them is null. */
function rowsOf(block: RowBlock): string[][] {
  return Array.from({ length: block.length }, (_, index) => {
    const row = new BlockRow(block, index);
    return Array.from({ length: block.width }, (_, field) => textOf(row, field) ?? '');
  });
}
