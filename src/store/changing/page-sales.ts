// Sales of pages, counted by the hour in the transaction in which the money arrives.
import type { Executor } from '../connections/executor.ts';

/**
 * Groups by the key of `page_hours`. A renewal is a recurring sale, and any other invoice is a sale of its own, except those that pay the
 * buyer back. Test orders do not count.
 */
const COUNT = `insert into page_hours as h (workspace_id, page_id, hour, currency, sales_count, sales_value, recurring_sales_count,
    recurring_sales_value)
  select o.workspace_id, o.page_id, date_trunc('hour', coalesce(i.paid_at, i.updated_at), 'UTC'), o.currency,
    count(*) filter (where i.invoice_type <> 'renewal'), coalesce(sum(i.total_amount) filter (where i.invoice_type <> 'renewal'), 0),
    count(*) filter (where i.invoice_type = 'renewal'), coalesce(sum(i.total_amount) filter (where i.invoice_type = 'renewal'), 0)
  from order_invoices i join orders o on o.workspace_id = i.workspace_id and o.id = i.order_id
  where i.workspace_id = $1::bigint and i.id = any($2::bigint[]) and o.page_id is not null and o.live_mode
    and i.invoice_type not in ('refund', 'cancellation')
  group by 1, 2, 3, 4 order by 3
  on conflict (workspace_id, page_id, hour, currency) do update set sales_count = h.sales_count + excluded.sales_count,
    sales_value = h.sales_value + excluded.sales_value,
    recurring_sales_count = h.recurring_sales_count + excluded.recurring_sales_count,
    recurring_sales_value = h.recurring_sales_value + excluded.recurring_sales_value`;

/**
 * Counts invoices of an order that was made on a page.
 * @param invoiceIds those that got their first money in this transaction
 */
export async function countSales(
  tx: Executor,
  workspaceId: bigint,
  invoiceIds: readonly bigint[],
): Promise<void> {
  if (invoiceIds.length > 0) await tx.$executeRawUnsafe(COUNT, workspaceId, invoiceIds);
}
