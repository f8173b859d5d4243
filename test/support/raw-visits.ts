// Statistics of the raw visits, by plain queries: statistics and contacts must be equal to them.
import type { App } from '../../src/context.ts';

/** The counted values, and those of the raw rows, in the same form. */
export async function countedAndRaw(
  app: App,
  workspaceId: bigint,
): Promise<{ counted: object; raw: object }> {
  const ask = async (text: string) => (await app.store.pool.query(text, [workspaceId])).rows;
  const visitor = `coalesce('contact ' || v.contact_id, 'visitor ' || v.visitor_id)`;
  const hours = `from visits v where v.workspace_id = $1 group by 1, 2 order by 1, 2`;
  const shown = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  const of = 'from page_hours h where h.workspace_id = $1';
  return {
    counted: {
      hours: await ask(`select h.page_id, h.hour, h.views_all ${of} and h.currency = '' order by 1, 2`),
      unique: await ask(
        `select h.page_id, sum(h.views_unique)::int as views, sum(h.optins)::int as optins ${of} and h.currency = '' group by 1 order by 1`,
      ),
      contacts: await ask(
        `select c.contact_id, c.first_at, c.last_at, c.last_with_utm_at, c.first_visit ->> 'started_at' as first,
          c.last_visit ->> 'started_at' as last, c.last_visit_with_utm ->> 'started_at' as utm
        from contact_visits c where c.workspace_id = $1 order by 1`,
      ),
      sales: await ask(
        `select h.page_id, h.hour, h.currency, h.sales_count, h.sales_value, h.recurring_sales_count, h.recurring_sales_value
        ${of} and h.currency <> '' order by 1, 2, 3`,
      ),
    },
    raw: {
      hours: await ask(
        `select v.page_id, date_trunc('hour', v.started_at, 'UTC') as hour, count(*)::int as views_all ${hours}`,
      ),
      unique: await ask(
        `select v.page_id, count(distinct ${visitor})::int as views, count(distinct v.contact_id)::int as optins
        from visits v where v.workspace_id = $1 group by 1 order by 1`,
      ),
      contacts: await ask(
        `select v.contact_id, min(v.started_at) as first_at, max(v.started_at) as last_at, max(w.at) as last_with_utm_at,
          ${shown('min(v.started_at)')} as first, ${shown('max(v.started_at)')} as last, ${shown('max(w.at)')} as utm
        from visits v, lateral (select case when v.utm_source is not null then v.started_at end as at) w
        where v.workspace_id = $1 and v.contact_id is not null group by 1 order by 1`,
      ),
      sales: await ask(
        `select o.page_id, date_trunc('hour', i.paid_at, 'UTC') as hour, o.currency,
          count(*) filter (where i.invoice_type <> 'renewal')::int as sales_count,
          coalesce(sum(i.total_amount) filter (where i.invoice_type <> 'renewal'), 0) as sales_value,
          count(*) filter (where i.invoice_type = 'renewal')::int as recurring_sales_count,
          coalesce(sum(i.total_amount) filter (where i.invoice_type = 'renewal'), 0) as recurring_sales_value
        from orders o join order_invoices i on i.workspace_id = o.workspace_id and i.order_id = o.id
        where o.workspace_id = $1 and o.page_id is not null and o.live_mode and i.paid_at is not null
          and i.invoice_type not in ('refund', 'cancellation') group by 1, 2, 3 order by 1, 2, 3`,
      ),
    },
  };
}
