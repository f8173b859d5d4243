// What the contacts of a workspace of the demo ordered, over the last year.
import type { BillingStatus, ServiceStatus } from '../../../resources/orders/order-statuses.ts';
import { drawIds } from '../../changing/ids.ts';
import { countSales } from '../../changing/page-sales.ts';
import { inOrder } from '../../connections/executor.ts';
import { findLines, requireBillable, type WantedLine } from '../../orders/order-lines.ts';
import { takeNumbers } from '../../orders/order-numbers.ts';
import { insertWhole } from '../../orders/orders.ts';
import type { Filling } from '../demo.ts';

const COUNT = 24;
/** How many days are between two orders. */
const STEP = 15;
const MOST_LINES = 3;

interface States {
  readonly billing: BillingStatus;
  readonly service: ServiceStatus;
}

/** What became of orders of each type, in turns. */
const ONCE: readonly States[] = [
  { billing: 'paid', service: 'completed' },
  { billing: 'paid', service: 'active' },
  { billing: 'unpaid', service: 'pending' },
  { billing: 'refunded', service: 'canceled' },
];
const AGAIN: readonly States[] = [
  { billing: 'paid', service: 'active' },
  { billing: 'past-due', service: 'churned' },
];
/** One order in so many is a subscription. */
const SUBSCRIPTIONS = 4;

const PLACES = [
  { city: 'Innsbruck', country: 'AT', postal_code: '6020' },
  { city: 'Bolzano', country: 'IT', postal_code: '39100' },
  { city: 'Grenoble', country: 'FR', postal_code: '38000' },
] as const;

interface Offer {
  readonly id: bigint;
  readonly variantId: bigint;
  readonly isOnce: boolean;
}

/** Orders from what the workspace sells, made on a page where sales are visits; none where it sells nothing. */
export async function insertOrders({ tx, random, daysAgo, workspaceId, idOf, data }: Filling): Promise<void> {
  const offers = await tx.$queryRaw<Offer[]>`
    select p.id, p.variant_id as "variantId", p.payment_type = 'one_time' as "isOnce"
    from product_prices p join products d on d.workspace_id = p.workspace_id and d.id = p.product_id
    where p.workspace_id = ${workspaceId} and not p.archived and not d.archived order by p.id`;
  const buyers = await tx.$queryRaw<{ id: bigint; firstName: string | null; lastName: string | null }[]>`
    select c.id, c.first_name as "firstName", c.last_name as "lastName" from contacts c
    where c.workspace_id = ${workspaceId} and not c.anonymous order by c.id limit ${COUNT}`;
  const [once, again] = [true, false].map((is) => offers.filter(({ isOnce }) => isOnce === is));
  if (!once?.length || !again?.length || buyers.length === 0) return;
  const steps = inOrder(tx);
  const pageId = data.visits === undefined ? null : idOf('Page', data.visits.sales);
  const ids = await drawIds(tx, 'orders', COUNT);
  const invoiceIds = await drawIds(tx, 'order_invoices', COUNT);
  for (let index = 0; index < COUNT; index++) {
    const isSubscription = index % SUBSCRIPTIONS === SUBSCRIPTIONS - 1;
    const sold = (isSubscription ? again : once) as [Offer, ...Offer[]];
    const count = isSubscription ? 1 : 1 + random.below(MOST_LINES);
    const picked = new Set(Array.from({ length: count }, () => random.pick(sold)));
    const lines = [...picked].map(
      ({ id: priceId, variantId }): WantedLine => ({
        ...{ priceId, variantId },
        quantity: isSubscription || random.chance(0.7) ? 1 : 2,
      }),
    );
    const found = requireBillable(await findLines(steps, workspaceId, lines), lines);
    const [first] = found;
    const buyer = buyers[index % buyers.length];
    if (first === undefined || buyer === undefined) continue;
    const states = isSubscription ? AGAIN : ONCE;
    const { billing, service } = states[Math.floor(index / SUBSCRIPTIONS) % states.length] as States;
    const at = daysAgo((COUNT - index) * STEP).toISOString();
    const place = PLACES[index % PLACES.length] as (typeof PLACES)[0];
    await insertWhole(
      steps,
      {
        ...{ workspaceId, contact: buyer.id, lines, billingStatus: billing, serviceStatus: service },
        orderType: isSubscription ? 'subscription-order' : 'one-time-order',
        columns: {
          ...{ billing_status: billing, service_status: service, live_mode: true },
          order_type: isSubscription ? 'subscription-order' : 'one-time-order',
          page_id: pageId,
          shipping_address_first_name: buyer.firstName,
          shipping_address_last_name: buyer.lastName,
          ...Object.fromEntries(
            Object.entries(place).map(([name, value]) => [`shipping_address_${name}`, value]),
          ),
        },
      },
      { lines: found, ...first },
      {
        ...{ auditEntryId: 0n, orderId: ids[index] as bigint, invoiceId: invoiceIds[index] as bigint },
        lineIds: await drawIds(tx, 'order_line_items', lines.length),
        ...{ orderTime: at, invoiceTime: at, variantTime: at },
      },
      {
        ...{ contactId: buyer.id, inTrial: false },
        ...(await takeNumbers(steps, workspaceId, { order: 1, invoice: 1 })),
      },
    );
  }
  if (pageId === null) return;
  const paid = await tx.orderInvoice.findMany({
    where: { workspaceId, id: { in: invoiceIds }, paidAt: { not: null } },
    select: { id: true },
  });
  await countSales(
    steps,
    workspaceId,
    paid.map(({ id }) => id),
  );
}

/** Tags of orders, which stand on some of them. */
export async function insertOrderTags({ tx, workspaceId, insert, data }: Filling): Promise<void> {
  await insert('OrderTag', Object.entries(data.orderTags ?? {}), ([name, color]) => ({ name, color }));
  await tx.$executeRaw`
    insert into order_applied_tags (workspace_id, order_id, tag_id, created_at)
    select o.workspace_id, o.id, t.id, o.created_at from orders o
    join order_tags t on t.workspace_id = o.workspace_id and o.id % 7 = t.id % 7
    where o.workspace_id = ${workspaceId} order by o.id, t.id`;
}
