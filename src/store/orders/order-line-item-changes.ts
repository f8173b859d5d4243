// Changes a line of a subscription to another price. PostgreSQL computes the amounts exactly; a prorated amount is rounded once, half up,
// to the smallest unit of the currency.
import type { OrderType, ServiceStatus } from '../../resources/orders/order-statuses.ts';
import { order, orderLineItem } from '../../resources/orders/orders.ts';
import { executeUnrecorded } from '../changing/changes.ts';
import { insertObjects } from '../changing/insert-objects.ts';
import { type ChangeRecord, timeOf, versionColumns } from '../changing/records.ts';
import { findSnapshots } from '../changing/snapshots.ts';
import type { Executor } from '../connections/executor.ts';
import { timePlusPeriod } from '../sql/periods.ts';
import { periodOf, singularUnit } from '../sql/price-terms.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { invoiceLineItemTable, invoiceTable } from '../tables/orders/order-invoices.ts';
import { orderTable } from '../tables/orders/orders.ts';
import { tableOf } from '../tables/tables.ts';
import { type Columns, type LockedOrder, planOrder, writeOrder } from './order-changes.ts';
import { orderEvent } from './order-events.ts';
import { findLines, isSupportedPeriod, type PricedLine } from './order-lines.ts';
import { lockNumbers } from './order-numbers.ts';
import { billedColumns, timeColumns } from './order-rows.ts';

const ORDERS = tableOf(orderTable);
const LINES = tableOf(orderLineItem);
const INVOICES = tableOf(invoiceTable);
const INVOICE_LINES = tableOf(invoiceLineItemTable);

export interface WantedChange {
  readonly lineId: bigint;
  readonly priceId: bigint;
  /** Whether a higher price is billed for the rest of the current period. */
  readonly isProrated: boolean;
}

/** The effect of a change of a line. */
export interface LineChange {
  readonly workspaceId: bigint;
  readonly orderId: bigint;
  readonly orderType: OrderType;
  readonly serviceStatus: ServiceStatus;
  readonly currency: string;
  /** JSON of the line before the change. */
  readonly before: string;
  /** The line at the new price; null: there is no such price. */
  readonly line: PricedLine | null;
  readonly isSameProduct: boolean;
  readonly isSamePrice: boolean;
  /** Whether both prices are recurring. */
  readonly isRepeated: boolean;
  readonly isSameInterval: boolean;
  /** How the new price compares with the old one. */
  readonly direction: 'upgraded' | 'downgraded' | 'modified';
  readonly inTrial: boolean;
  readonly isDue: boolean;
  /** JSON of the next invoice: what is due now, or the next renewal. */
  readonly upcoming: string;
  /** How much more the rest of the current period costs. `daysLeft` of the period's `days` remain. */
  readonly due: string;
  readonly daysLeft: number;
  readonly days: number;
}

const NEXT_CHARGE = 'coalesce(o.next_charge_at, now())';
const ZERO = '0 * l.amount';
const asTime = (sql: string) => `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The current period ends at the next charge. It began one interval before that, but not before the order. */
const [COUNT, UNIT] = ["(l.products_price ->> 'interval_count')::int", "(l.products_price ->> 'interval')"];
const PERIOD_START = `greatest(o.created_at, case when ${isSupportedPeriod(COUNT, UNIT)}
  then ${timePlusPeriod('o.next_charge_at', '-', periodOf(COUNT, UNIT))} end)`;
/**
 * The highest price billed for the current period. A downgrade refunds nothing, so a later upgrade costs only the amount above this price.
 */
const BILLED = `(select max((b.products_price ->> 'amount')::numeric) from order_invoice_line_items b
  join order_invoices i on i.workspace_id = b.workspace_id and i.id = b.invoice_id
  where b.workspace_id = $4::bigint and b.order_line_item_id = l.id and i.invoice_type = 'interim'
    and i.status not in ('voided', 'abandoned') and i.created_at >= ${PERIOD_START})`;
/** The payment type of a line, from its first invoice, because the price's type may have changed since. A change of the line keeps it. */
const paymentTypeOf = (line: string) => `(select b.payment_type from order_invoice_line_items b
  where b.workspace_id = $4::bigint and b.order_line_item_id = ${line}.id order by b.id limit 1)`;
const dayOf = (sql: string) => `(${sql} at time zone 'UTC')::date`;

const CHANGE = `select l.workspace_id as "workspaceId", l.order_id as "orderId", o.order_type as "orderType", o.service_status as "serviceStatus",
    o.currency, o.in_trial as "inTrial", p.variant_id as "variantId", l.quantity,
    p.product_id is not distinct from l.product_id as "isSameProduct", l.price_id = $2::bigint as "isSamePrice",
    (k.kind <> 'one_time' and p.payment_type = k.kind) as "isRepeated",
    (p.interval, p.interval_count)::text = (${singularUnit(UNIT)}, ${COUNT})::text as "isSameInterval",
    case when p.amount > l.amount then 'upgraded' when p.amount < l.amount then 'downgraded' else 'modified' end as direction,
    c.due > 0 as "isDue", c.due::text, d.left as "daysLeft", d.all as days,
    json_build_object('currency', o.currency, 'discount_amount', (${ZERO})::text,
      'next_invoice_date', case when c.due > 0 then ${asTime('now()')} else ${asTime(NEXT_CHARGE)} end,
      'shipping_amount', (${ZERO})::text, 'subtotal_amount', s.sum::text, 'tax_amount', (${ZERO})::text, 'total_amount', s.sum::text)::text as upcoming
  from order_line_items l
    join orders o on o.workspace_id = l.workspace_id and o.id = l.order_id
    left join product_prices p on p.workspace_id = l.workspace_id and p.id = $2::bigint,
    lateral (select ${paymentTypeOf('l')} as kind) k,
    lateral (select ${dayOf('o.next_charge_at')} - ${dayOf(PERIOD_START)} as all,
      least(${dayOf('o.next_charge_at')} - ${dayOf('now()')}, ${dayOf('o.next_charge_at')} - ${dayOf(PERIOD_START)}) as left) d,
    lateral (select case when $3::bool and not o.in_trial and p.currency = o.currency and d.all > 0 and d.left > 0
      then round(greatest(p.amount - greatest(l.amount, ${BILLED}), 0) * l.quantity * d.left / d.all, scale(l.amount)) else ${ZERO} end as due) c,
    lateral (select case when c.due > 0 then c.due else
        (select coalesce(sum(m.quantity * case when m.id = l.id then p.amount else m.amount end), 0) + ${ZERO} from order_line_items m
        where m.workspace_id = $4::bigint and m.order_id = l.order_id and ${paymentTypeOf('m')} <> 'one_time') end as sum) s
  where l.workspace_id = $4::bigint and l.id = $1::bigint`;

const PLACE = `select t.workspace_id as "workspaceId", t.order_id as "orderId" from order_line_items t where t.id = $1::bigint and ${LINES.owned('$2', '$3')}`;

/** Finds the workspace and order of a line; null if there is no such line, or the caller does not own it. */
export async function findLinePlace(
  tx: Executor,
  { teamId, workspaceIds }: Tenancy,
  lineId: bigint,
): Promise<Pick<LineChange, 'workspaceId' | 'orderId'> | null> {
  const [place = null] = await tx.$queryRawUnsafe<Pick<LineChange, 'workspaceId' | 'orderId'>[]>(
    PLACE,
    ...[lineId, teamId, workspaceIds],
  );
  return place;
}

/** Computes the effect of a change of a line, and writes nothing. Null if there is no such line, or the caller does not own it. */
export async function previewLineChange(
  ctx: StoreContext,
  tenancy: Tenancy,
  wanted: WantedChange,
): Promise<LineChange | null> {
  const owner = await ctx.store.placement.nameWorkspaces(tenancy);
  return executeUnrecorded(ctx, tenancy, async (tx) => {
    const place = await findLinePlace(tx, owner, wanted.lineId);
    return place && findLineChange(tx, place.workspaceId, wanted);
  });
}

/** Computes the same within a change. Null: the line is gone. */
export async function findLineChange(
  tx: Executor,
  workspaceId: bigint,
  { lineId, priceId, isProrated }: WantedChange,
): Promise<LineChange | null> {
  const [found] = await tx.$queryRawUnsafe<
    (Omit<LineChange, 'before' | 'line'> & { variantId: bigint | null; quantity: number })[]
  >(CHANGE, lineId, priceId, isProrated, workspaceId);
  if (found === undefined) return null;
  const { variantId, quantity, ...change } = found;
  const [before = ''] = await findSnapshots(tx, LINES, workspaceId, [lineId]);
  const [line = null] =
    variantId === null ? [] : await findLines(tx, workspaceId, [{ variantId, priceId, quantity }]);
  return { ...change, before, line };
}

const SET_LINE = `update order_line_items c set price_id = $3::bigint, variant_id = $4::bigint, amount = $5::numeric,
    first_amount = case when $6::bool then c.first_amount else $5::numeric end, products_price = $7::json, products_variant = $8::json,
    prorated = $9::text, ${versionColumns('$10')}
  where c.workspace_id = $1::bigint and c.id = $2::bigint`;
const TOTAL = `select sum(l.first_amount * l.quantity + l.setup_amount)::text as total_amount from order_line_items l
  where l.workspace_id = $1::bigint and l.order_id = $2::bigint`;
const TOUCH = `update orders c set ${versionColumns('$3')} where c.workspace_id = $1::bigint and c.id = $2::bigint`;

/**
 * Changes a line of a locked order, and writes an invoice for what is due now.
 * @param asShown the change as REST shows it, from the line's JSON: `after` of the record @returns the record
 */
export async function writeLineChange(
  tx: Executor,
  locked: LockedOrder,
  { lineId, isProrated }: WantedChange,
  change: LineChange & { readonly line: PricedLine },
  asShown: (after: string) => string,
): Promise<ChangeRecord> {
  const { workspaceId, id: orderId, contactId, pageId } = locked;
  const { line, before, inTrial, isDue, direction } = change;
  const [orderBefore = ''] = await findSnapshots(tx, ORDERS, workspaceId, [orderId]);
  if (isDue) await lockNumbers(tx, workspaceId);
  const now = await timeOf(tx, ORDERS);
  await tx.$executeRawUnsafe(
    SET_LINE,
    ...[workspaceId, lineId, line.priceId, line.variantId, line.amount, inTrial],
    ...[line.productsPrice, line.productsVariant, String(isProrated), now],
  );
  const [sums = {}] = await tx.$queryRawUnsafe<Columns[]>(TOTAL, workspaceId, orderId);
  const interim = isDue ? await insertInterim(tx, locked, lineId, change) : null;
  const all = { ...locked, invoices: [...locked.invoices, ...(interim === null ? [] : [interim])] };
  const plan = planOrder(all, {
    order: sums,
    ...(interim !== null && {
      invoices: new Map([[interim.id, { status: 'unpaid' }]]),
      created: [interim.id],
    }),
  });
  const written = await writeOrder(tx, all, plan);
  if (written.order === null) await tx.$executeRawUnsafe(TOUCH, workspaceId, orderId, now);
  const [orderAfter = ''] = await findSnapshots(tx, ORDERS, workspaceId, [orderId]);
  const [after = ''] = await findSnapshots(tx, LINES, workspaceId, [lineId]);
  const shown = { order: { id: orderId, json: orderAfter } };
  const types = [
    ...(written.order === null ? ['order.updated'] : []),
    ...[`subscription.${direction}`, 'subscription.line_items.changed'],
  ];
  const updated = { workspaceId, contactId, action: 'updated', outcome: 'updated', events: [] } as const;
  return {
    ...{ ...updated, pageId, resource: orderLineItem, subjectId: lineId },
    ...{ before, after: asShown(after), rows: 1 + (interim === null ? 0 : 2) },
    events: [...written.events, ...types.map((type) => orderEvent(type, shown))],
    children: [
      { ...updated, resource: order, subjectId: orderId, before: orderBefore, after: orderAfter },
      ...[...written.invoices, ...written.enrollments],
    ],
  };
}

/** Writes the invoice for the higher price of the rest of the current period. `writeOrder` adds its number and times. */
async function insertInterim(
  tx: Executor,
  { workspaceId, id: orderId, currency }: LockedOrder,
  lineId: bigint,
  { line, due, days, daysLeft }: LineChange & { readonly line: PricedLine },
): Promise<LockedOrder['invoices'][number]> {
  const now = await timeOf(tx, INVOICES);
  const zero = due.replaceAll(/\d/g, '0').replace(/^0+(?=0)/, '');
  const [id = 0n] = await insertObjects(tx, INVOICES, workspaceId, [
    {
      ...{ order_id: orderId, currency, status: 'draft', invoice_type: 'interim', external_id: '' },
      ...{ subtotal_amount: due, shipping_amount: zero, tax_amount: zero, discount_amount: zero },
      fulfillment_status: 'not_applicable',
      ...timeColumns(now),
    },
  ]);
  await insertObjects(tx, INVOICE_LINES, workspaceId, [
    {
      ...{
        ...billedColumns(line),
        fulfillment_status: 'ignored',
        invoice_id: id,
        order_line_item_id: lineId,
      },
      ...{ quantity: 1, amount: due, description: `Change of price for ${daysLeft} of ${days} days` },
      ...timeColumns(now),
    },
  ]);
  return { id, status: 'unpaid', invoiceType: 'interim', invoiceNumber: null, issuedAt: null, paidAt: null };
}
