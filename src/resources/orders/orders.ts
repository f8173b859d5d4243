// The order (a one-time sale or a subscription), and its lines.
import { contact } from '../contacts.ts';
import { ALWAYS_NULL_TEXT, OF_WORKSPACE } from '../description/common-fields.ts';
import type { Field, Fields } from '../description/fields.ts';
import { describe, type Row } from '../description/resource.ts';
import { fulfillment } from '../fulfillments.ts';
import { page } from '../pages.ts';
import { product } from '../products.ts';
import { workspace } from '../workspaces.ts';
import { ORDER_BASE } from './order-base.ts';
import { LINE_ITEM, MAX_LINE_ITEMS } from './order-line-items.ts';
import { AMOUNT, CURRENCY, IDS_AND_NAME, VISITS } from './order-parts.ts';
import { FULFILLMENT_STATUS_DESCRIPTIONS, FULFILLMENT_STATUSES, STATUS_EVENTS } from './order-statuses.ts';
import { orderTag } from './order-tags.ts';

/** The most fulfillments in an order. */
export const MAX_FULFILLMENTS = 100;

/** A fulfillment in its order. Erasure blanks the fulfillment's own row. */
const FULFILLMENT_IN_ORDER = Object.fromEntries(
  Object.entries<Field>(fulfillment.fields).map(([property, { personal: _, ...field }]) => [property, field]),
) as Fields as typeof fulfillment.fields;

/** The e-mail address that identifies a contact, so it cannot be null. */
const { nullable: _, ...EMAIL_ADDRESS } = contact.fields.emailAddress;

export const order = describe({
  type: 'Order',
  title: 'Order',
  table: 'orders',
  number: 25n,
  parent: workspace,
  plural: 'orders',
  path: 'orders',
  lists: [
    { under: orderTag, by: 'tagIds', plural: 'orders', indexes: {}, description: 'The orders with the tag.' },
    {
      under: contact,
      key: 'contactId',
      plural: 'orders',
      indexes: {
        contactId: 'orders_workspace_id_contact_id_id_idx',
        orderType: 'orders_workspace_id_contact_id_id_idx',
      },
    },
  ],
  wrapper: 'order',
  scope: 'store',
  topic: 'order',
  verbs: ['create', 'update'],
  events: ['created', 'updated', 'completed'],
  moreEvents: STATUS_EVENTS.map(({ type }) => type)
    .filter((type) => !/^orders?[/.]/.test(type))
    .concat(
      ...['subscription.first_payment_received', 'subscription.trial_started', 'subscription.trial_ended'],
      ...['trial_converted', 'upgraded', 'downgraded', 'modified', 'line_items.changed'].map(
        (name) => `subscription.${name}`,
      ),
    ),
  actions: {
    cancel: {
      summary: 'Cancels a subscription, and voids its unpaid invoices',
      fields: { cancelReason: ORDER_BASE.cancelReason, cancelDescription: ORDER_BASE.cancelDescription },
    },
  },
  description:
    'An order of a contact. Its lines keep copies of products, variants and prices, so that later changes of those do not affect it. The gateway takes no payments: the integration that takes them records them.',
  fields: {
    ...ORDER_BASE,
    ...OF_WORKSPACE,
    contactId: {
      type: 'int8',
      refers: contact,
      writable: 'at_creation',
      description:
        'The integer id of the contact who placed the order. Send either this or the attributes of the contact.',
      objectDescription: 'The contact who placed the order.',
    },
    externalId: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'The id of the order in another system.',
    },
    currency: CURRENCY,
    taxAmount: { ...AMOUNT, description: 'The tax that the total includes.' },
    refundedAmount: {
      ...AMOUNT,
      description: 'The refunded amount: the sum of all refunds of the order.',
    },
    fulfillmentStatus: {
      type: 'text',
      values: FULFILLMENT_STATUSES,
      valueDescriptions: FULFILLMENT_STATUS_DESCRIPTIONS,
      valuesName: 'OrderFulfillmentStatus',
      description:
        'The fulfillment status of the order, from its invoices: `complete` or `unfulfilled` if all of them are, otherwise `partial`. Invoices with nothing to ship do not count, nor do invoices without fulfillments whose goods can no longer be shipped (voided, abandoned, refunded in full, or of a canceled one-time order). `not_applicable` if no invoice counts.',
    },
    fulfillmentIds: {
      type: 'int8[]',
      refers: fulfillment,
      paged: { by: 'order' },
      expand: true,
      maxLength: MAX_FULFILLMENTS,
      description: `The integer ids of the fulfillments of the order, the oldest first. Only the last ${MAX_FULFILLMENTS} if there are more.`,
      objectDescription: 'The fulfillments that ship lines of the order’s invoices.',
    },
    fulfillments: {
      type: 'jsonb',
      items: FULFILLMENT_IN_ORDER,
      expand: 'reads',
      description: `The fulfillments of the order, the oldest first. Only the last ${MAX_FULFILLMENTS} if there are more.`,
    },
    lineItems: {
      type: 'jsonb',
      children: LINE_ITEM,
      items: LINE_ITEM.fields,
      writable: 'at_creation',
      restGiven: 'line_items_attributes',
      required: true,
      maxLength: MAX_LINE_ITEMS,
      description: 'The lines of the order.',
    },
    workspace: { type: 'json', object: workspace.fields, description: 'The workspace of the order.' },
    paidUntil: {
      type: 'timestamp',
      description:
        'The end of the paid period: when the order is charged next, or else when its service began.',
    },
    renewalAt: {
      type: 'timestamp',
      nullable: true,
      description:
        'When the subscription renews next. Null for a one-time order, and for a subscription that is paused or has ended.',
    },
    phoneNumber: {
      graphql: false,
      type: 'text',
      nullable: true,
      description: 'The phone number of the shipping address.',
    },
    paymentProcessor: {
      graphql: false,
      type: 'text',
      description: 'The payment processor: always `external`, because the gateway takes no payments.',
    },
    billingPaymentMethodId: ALWAYS_NULL_TEXT,
    contactGroups: {
      type: 'json',
      items: IDS_AND_NAME,
      description: 'The groups of the contact. Always empty: the gateway has none.',
    },
    segments: {
      type: 'json',
      items: IDS_AND_NAME,
      description: 'The segments of the contact. Always empty: the gateway has none.',
    },
    discountIds: {
      graphql: false,
      type: 'int8[]',
      description: 'The discounts of the order. Always empty: the gateway has none.',
    },
    funnelName: {
      type: 'text',
      nullable: true,
      description: 'The name of the funnel with the page on which the order was placed.',
    },
    pageId: {
      type: 'int8',
      nullable: true,
      refers: page,
      writable: 'at_creation',
      description:
        'The integer id of the page on which the order was placed. The statistics of the page count the order once its invoices are paid.',
      objectDescription: 'The page on which the order was placed.',
    },
    pageName: {
      type: 'text',
      nullable: true,
      description: 'The name of the page on which the order was placed.',
    },
    previousLineItem: ALWAYS_NULL_TEXT,
    resourceInstallIntent: {
      graphql: false,
      type: 'text',
      description: 'Always empty: the gateway does not have this information.',
    },
    visits: {
      type: 'json',
      object: VISITS,
      description: 'The visits before the order. The gateway does not record them.',
    },
    workspaceSharingId: ALWAYS_NULL_TEXT,
    createdAt: { type: 'timestamp', description: 'When the order was placed.' },
    updatedAt: { type: 'timestamp', description: 'When the order was last changed.' },
  },
  inputs: {
    contactAttributes: {
      graphqlName: 'contact',
      type: 'json',
      object: {
        emailAddress: {
          ...EMAIL_ADDRESS,
          description:
            'The e-mail address that identifies the contact. A new contact is created if none has it.',
        },
      },
      choice: { idOf: 'contactId', required: true },
      nullable: true,
      writable: 'at_creation',
      description:
        'The contact who placed the order, instead of its id. The contact is created if none has this e-mail address.',
      rule: 'An e-mail address needs contacts:write.',
    },
  },
  filters: {
    id: { unique: true },
    orderNumber: { unique: true, index: 'orders_workspace_id_order_number_key' },
    externalId: { index: 'orders_external_id_id_idx', untimed: true },
    contactId: { index: 'orders_workspace_id_contact_id_id_idx' },
    pageId: { index: 'orders_workspace_id_page_id_id_idx', untimed: true },
    serviceStatus: { index: 'orders_workspace_id_service_status_id_idx', untimed: true },
    billingStatus: { index: 'orders_workspace_id_billing_status_id_idx', untimed: true },
    fulfillmentStatus: {
      index: 'orders_workspace_id_fulfillment_status_id_idx',
      untimed: true,
      graphqlOnly: true,
    },
    orderType: { index: 'orders_workspace_id_order_type_id_idx' },
    liveMode: { index: 'orders_workspace_id_live_mode_id_idx', untimed: true },
    tagIds: { index: 'order_applied_tags_workspace_id_tag_id_order_id_idx', graphqlOnly: true },
    productIds: {
      of: { type: 'int8', idsOf: product },
      description: 'The integer ids of products that the order has a line of.',
      index: 'order_line_items_workspace_id_product_id_order_id_idx',
      graphqlOnly: true,
    },
  },
  search: ['orderNumber', 'contactId'],
  refinedBy: 'OrdersFilter',
  sorts: ['createdAt', 'updatedAt', 'orderNumber', 'totalAmount'],
});

export const orderLineItem = describe({
  ...LINE_ITEM,
  number: 26n,
  hasLookUp: false,
  parent: order,
  members: 'orders/line_items',
  most: MAX_LINE_ITEMS,
  scope: 'store',
  topic: 'orders/line_item',
  subjectType: 'Orders::LineItem',
  description: 'A line of an order: a quantity of one variant, at one price.',
});

export interface OrderRow extends Row<typeof order> {}
