// The computed columns of an order: its contact, its workspace, and those that are always empty.
import { contact } from '../../../resources/contacts.ts';
import { fulfillment, fulfillmentLineItem } from '../../../resources/fulfillments.ts';
import { RENEWING_SERVICE_STATUSES } from '../../../resources/orders/order-statuses.ts';
import { order, orderLineItem } from '../../../resources/orders/orders.ts';
import { workspace } from '../../../resources/workspaces.ts';
import { unlessHidden } from '../../sql/personal-data.ts';
import { withPluralUnit } from '../../sql/price-terms.ts';
import { REFUNDED_OF_ORDER } from '../../sql/refunds.ts';
import { childrenAsJson, otherAsJson, othersAsJson } from '../../sql/row-json.ts';
import { FULFILLMENTS_OF_ORDER } from '../../sql/shipping.ts';
import { showingStep } from '../../sql/showing-steps.ts';
import { ROW_WORKSPACE } from '../../sql/statements.ts';
import { joinedTags } from '../../sql/tags.ts';
import { contactTable } from '../contacts.ts';
import { makeTable, ownTable, publicIdOf, type Special } from '../table.ts';
import { workspaceTable } from '../workspaces.ts';

const CONTACTS = makeTable({ ...contact, filters: {} }, contactTable);
const FULFILLMENTS = makeTable(fulfillment, {
  computed: { lineItems: childrenAsJson(makeTable(fulfillmentLineItem)) },
});
const WORKSPACES = makeTable(workspace, workspaceTable);

/** The end of the time that an order `t` has paid for. */
export const PAID_UNTIL = 'coalesce(t.next_charge_at, t.activated_at, t.created_at)';

/** When a subscription `t` renews next; null if it does not. */
const RENEWAL_AT = `(case when t.order_type = 'subscription-order'
  and t.service_status in ('${RENEWING_SERVICE_STATUSES.join("', '")}') then t.next_charge_at end)`;

/** An order records no visits. */
export const NO_VISITS = `'{"last_visit":null,"last_visit_with_utm":null}'::json`;

/** A value that only orders made on a page have. */
function onlyFromPage(value: string, from: string): string {
  return `case when t.page_id is not null then (select ${value} from ${from}) end`;
}

/** Computed columns over an order `t`. */
export const ORDER_BASE_COMPUTED = {
  tagIds: `array(select a.tag_id from order_applied_tags a
    where a.workspace_id = $row_workspace and a.order_id = t.id order by a.id)`,
  orderPage: onlyFromPage(
    `(select to_json(v) from (select p.id, p.public_id, p.name) v)`,
    'pages p where p.workspace_id = $row_workspace and p.id = t.page_id',
  ),
  originationChannelId: 't.workspace_id',
  originationChannelPublicId: publicIdOf('workspaces', 't.workspace_id'),
  originationChannelType: `'Workspace'`,
  originationChannelName: '(select w.name from workspaces w where w.id = $row_workspace)',
  affiliate: 'null::json',
  referralCode: 'null::json',
  contact: otherAsJson(CONTACTS, 'contacts.workspace_id = $row_workspace and contacts.id = t.contact_id'),
} as const satisfies Special<typeof order>['computed'];

export const orderTable = ownTable(order, {
  computed: {
    ...ORDER_BASE_COMPUTED,
    refundedAmount: REFUNDED_OF_ORDER,
    fulfillmentIds: FULFILLMENTS_OF_ORDER,
    fulfillments: othersAsJson(
      FULFILLMENTS,
      `fulfillments.workspace_id = $row_workspace and fulfillments.id = any(${FULFILLMENTS_OF_ORDER})`,
    ),
    workspace: otherAsJson(WORKSPACES, 'workspaces.id = $row_workspace'),
    paidUntil: PAID_UNTIL,
    renewalAt: RENEWAL_AT,
    phoneNumber: `(${unlessHidden(order, 't.shipping_address_phone_number')})`,
    paymentProcessor: `'external'`,
    billingPaymentMethodId: 'null::text',
    contactGroups: `'[]'::json`,
    segments: `'[]'::json`,
    discountIds: `'{}'::bigint[]`,
    funnelName: onlyFromPage('f.name', showingStep(ROW_WORKSPACE, 't.page_id')),
    pageName: onlyFromPage('p.name', 'pages p where p.workspace_id = $row_workspace and p.id = t.page_id'),
    previousLineItem: 'null::text',
    resourceInstallIntent: `''`,
    visits: NO_VISITS,
    workspaceSharingId: 'null::text',
  },
  below: joinedTags('order_applied_tags', 'order_id', 'order_tags', 'created_at'),
  matches: {
    tagIds: { table: 'order_applied_tags', row: 'order_id', value: 'tag_id' },
    productIds: { table: 'order_line_items', row: 'order_id', value: 'product_id', repeats: true },
    lineItems: { table: 'order_line_items', row: 'order_id', value: 'product_id', repeats: true },
  },
});

export const orderLineItemTable = ownTable(orderLineItem, {
  computed: { productsPrice: withPluralUnit('t.products_price') },
});
