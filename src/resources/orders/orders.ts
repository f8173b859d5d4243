// The order (a one-time sale or a subscription), and its lines.
import { contact } from '../contacts.ts';
import { ALWAYS_NULL_TEXT, IDS, OF_WORKSPACE } from '../description/common-fields.ts';
import type { AddressOf, Field, Fields } from '../description/fields.ts';
import { describe, type Row } from '../description/resource.ts';
import { fulfillment } from '../fulfillments.ts';
import { page } from '../pages.ts';
import { price } from '../product-prices.ts';
import { variant } from '../product-variants.ts';
import { product } from '../products.ts';
import { workspace } from '../workspaces.ts';
import { IDS_AND_NAME, VISITS } from './order-parts.ts';
import {
  BILLING_STATUSES,
  BILLING_TRANSITIONS,
  FULFILLMENT_STATUS_DESCRIPTIONS,
  FULFILLMENT_STATUSES,
  ORDER_TYPES,
  SERVICE_STATUSES,
  SERVICE_TRANSITIONS,
  STATUS_EVENTS,
} from './order-statuses.ts';
import { orderTag } from './order-tags.ts';

/** The most lines of an order or an invoice. */
export const MAX_LINE_ITEMS = 250;

/** The currency of amounts. */
export const CURRENCY = {
  type: 'currency',
  description: 'The currency of all amounts of the order (ISO 4217).',
} as const;

/** Computed sums and amounts, which clients cannot set. */
export const AMOUNT = { type: 'decimal', currency: 'currency' } as const;

/** The quantity of a line: a `count` of at least one. */
const QUANTITY = { type: 'count', required: true, description: 'The quantity, at least 1.' } as const;

const LINE_ITEM = {
  type: 'OrderLineItem',
  title: 'Line item',
  table: 'order_line_items',
  fields: {
    ...IDS,
    orderId: { type: 'int8', description: 'The integer id of its order.' },
    productId: {
      type: 'int8',
      refers: product,
      notInParent: true,
      description: 'The integer id of the product.',
      objectDescription: 'The product that was ordered, as it is now.',
    },
    variantId: {
      graphql: 'output',
      type: 'int8',
      refers: variant,
      writable: 'at_creation',
      required: true,
      notInParent: true,
      description: 'The integer id of the variant that was ordered.',
      objectDescription: 'The variant that was ordered, as it is now.',
    },
    priceId: {
      type: 'int8',
      refers: price,
      restName: 'products_price_id',
      writable: 'at_creation',
      required: true,
      notInParent: true,
      description: 'The integer id of the price, which belongs to the variant.',
      objectDescription: 'The price for which it was ordered, as it is now.',
    },
    quantity: { ...QUANTITY, writable: 'at_creation' },
    currency: { ...CURRENCY, notInParent: true },
    amount: {
      graphqlName: 'unitPrice',
      ...AMOUNT,
      notInParent: true,
      description: 'The unit price at the time of the order.',
    },
    firstAmount: {
      graphqlName: 'firstUnitPrice',
      ...AMOUNT,
      notInParent: true,
      description:
        'The unit price in the first period: the trial price if there is a trial, otherwise the price of every period.',
    },
    setupAmount: {
      ...AMOUNT,
      notInParent: true,
      description: 'The one-time setup amount of the line, whatever the quantity.',
    },
    prorated: {
      graphqlName: 'isProrated',
      type: 'text',
      isBoolean: true,
      nullable: true,
      description: 'Whether the last change of the line was prorated; null if it was never changed.',
    },
    originalProduct: {
      type: 'jsonb',
      object: IDS_AND_NAME,
      description: 'The product at the time of the order.',
    },
    productsPrice: {
      type: 'jsonb',
      object: {
        id: { type: 'int8', description: 'The integer id.' },
        publicId: { type: 'text', description: 'The short public id.' },
        name: { type: 'text', nullable: true, description: 'The name.' },
        amount: { type: 'text', description: 'The unit price.' },
        currency: { type: 'currency', description: 'The currency.' },
        duration: { type: 'int4', nullable: true, description: 'The number of payments.' },
        interval: { type: 'text', nullable: true, description: 'The unit of the time between two payments.' },
        intervalCount: {
          type: 'int4',
          nullable: true,
          description: 'The number of these units between two payments.',
        },
        key: { type: 'text', nullable: true, description: 'The key of the price.' },
      },
      description: 'The price at the time of the order.',
    },
    productsVariant: {
      type: 'jsonb',
      object: {
        ...IDS_AND_NAME,
        description: { type: 'text', nullable: true, description: 'The name of the variant.' },
        sku: { type: 'text', nullable: true, description: 'The stock-keeping unit.' },
      },
      description: 'The variant at the time of the order.',
    },
    createdAt: { type: 'timestamp', description: 'When the line was ordered.' },
    updatedAt: { type: 'timestamp', description: 'When the line was last changed.' },
  },
} as const;

/** A text that is personal data of the buyer. */
const PERSONAL = {
  type: 'text',
  nullable: true,
  writable: 'always',
  maxLength: 2_000,
  personal: true,
} as const;

const SHIPPING = { name: 'shippingAddress', description: 'The address to which the goods are shipped.' };
const BILLING = { name: 'billingAddress', description: 'The address of whoever pays.' };
/** A part of an address, as the buyer entered it. */
const partOf = (of: AddressOf, part: string, description: string) => ({
  ...PERSONAL,
  address: { of, part },
  description,
});

const ADDRESSES = {
  shippingAddressFirstName: partOf(SHIPPING, 'firstName', 'The first name in the shipping address.'),
  shippingAddressLastName: partOf(SHIPPING, 'lastName', 'The last name in the shipping address.'),
  shippingAddressOrganizationName: partOf(
    SHIPPING,
    'organizationName',
    'The organization in the shipping address.',
  ),
  shippingAddressPhoneNumber: partOf(SHIPPING, 'phoneNumber', 'The phone number in the shipping address.'),
  shippingAddressStreetOne: partOf(SHIPPING, 'streetOne', 'The first street line of the shipping address.'),
  shippingAddressStreetTwo: partOf(SHIPPING, 'streetTwo', 'The second street line of the shipping address.'),
  shippingAddressCity: partOf(SHIPPING, 'city', 'The city of the shipping address.'),
  shippingAddressRegion: partOf(SHIPPING, 'region', 'The region or state of the shipping address.'),
  shippingAddressCountry: partOf(SHIPPING, 'country', 'The country of the shipping address.'),
  shippingAddressPostalCode: partOf(SHIPPING, 'postalCode', 'The postal code of the shipping address.'),
  billingAddressStreetOne: partOf(BILLING, 'streetOne', 'The first street line of the billing address.'),
  billingAddressStreetTwo: partOf(BILLING, 'streetTwo', 'The second street line of the billing address.'),
  billingAddressCity: partOf(BILLING, 'city', 'The city of the billing address.'),
  billingAddressRegion: partOf(BILLING, 'region', 'The region or state of the billing address.'),
  billingAddressCountry: partOf(BILLING, 'country', 'The country of the billing address.'),
  billingAddressPostalCode: partOf(BILLING, 'postalCode', 'The postal code of the billing address.'),
} as const satisfies Fields;

const STATUS = { type: 'text', writable: 'always' } as const;
const TIME = { type: 'timestamp', nullable: true, writable: 'always' } as const;

/** The fields of an order that its invoices include too. */
export const ORDER_BASE = {
  ...IDS,
  orderNumber: {
    type: 'int4',
    restAsText: true,
    description: 'The number of the order. Orders of a workspace are numbered consecutively.',
  },
  orderType: {
    graphqlName: 'type',
    type: 'text',
    values: ORDER_TYPES,
    valueNames: { 'one-time-order': 'one-time', 'subscription-order': 'subscription' },
    valueDescriptions: {
      'one-time-order': 'An order that is paid once.',
      'subscription-order': 'A subscription, which is paid in every period.',
    },
    writable: 'at_creation',
    required: true,
    description: 'Whether the order is a one-time sale or a subscription.',
  },
  liveMode: {
    graphqlName: 'isLive',
    type: 'bool',
    writable: 'at_creation',
    required: true,
    description: 'Whether this is a real order rather than a test.',
  },
  totalAmount: {
    ...AMOUNT,
    description:
      'The total of the order, including tax: for each line the unit price (or the trial price) times the quantity, plus the setup amount.',
  },
  billingStatus: {
    ...STATUS,
    values: BILLING_STATUSES,
    valueDescriptions: {
      draft: 'The invoices are drafts: the buyer owes nothing yet.',
      pending: 'The order waits for its first payment.',
      unpaid: 'An invoice is not paid in full.',
      'past-due': 'An invoice was not paid by its due date.',
      paid: 'All that was billed is paid.',
      'partially-refunded': 'Part of the payments was refunded.',
      disputed: 'The buyer disputes a payment.',
      refunded: 'The payments were refunded in full.',
      voided: 'The invoices were voided or abandoned.',
    },
    transitions: BILLING_TRANSITIONS,
    description: 'The billing status, which summarizes the invoices.',
    rule: 'Setting it changes the invoices to which it applies. By default `pending`, or `paid` for a one-time order that costs nothing.',
  },
  serviceStatus: {
    ...STATUS,
    values: SERVICE_STATUSES,
    valueDescriptions: {
      pending: 'The service has not begun, usually because a payment is missing.',
      active: 'The subscription runs, and renews at its next charge.',
      paused: 'The subscription is paused: it does not renew until it is active again.',
      suspended: 'The buyer does not get the service for now, but the subscription still renews.',
      canceled:
        'The order was canceled: goods of a one-time order are not shipped, and a subscription does not renew.',
      churned: 'The subscription ended for lack of payment.',
      completed: 'The order is finished: a one-time order was paid, or a subscription has reached its end.',
      abandoned: 'The buyer left before paying. Goods of a one-time order are not shipped.',
      voided: 'The order was declared void. Goods of a one-time order are not shipped.',
    },
    transitions: SERVICE_TRANSITIONS,
    description:
      'The service status: whether the buyer gets the goods or the service. Once paid, a one-time order becomes `completed` and a subscription `active`. A subscription is also `active` in its trial.',
    rule: 'By default `pending`.',
  },
  inTrial: {
    graphqlName: 'isInTrial',
    type: 'bool',
    description: 'Whether the subscription is in its trial.',
  },
  trialEndAt: { type: 'timestamp', nullable: true, description: 'When the trial ends or ended.' },
  activatedAt: { ...TIME, description: 'When the service began.' },
  canceledAt: { ...TIME, description: 'When the order was canceled.' },
  canceledBy: {
    ...PERSONAL,
    description: 'Who canceled the order: `API` if the request to cancel it was used.',
  },
  cancelReason: {
    type: 'text',
    nullable: true,
    writable: 'always',
    personal: true,
    values: [
      ...['customer_service', 'low_quality', 'missing_features', 'other', 'switched_service', 'too_complex'],
      ...['too_expensive', 'unused', 'did-not-use', 'did-not-want', 'missing-features', 'too-expensive'],
      'bugs-or-problems',
    ],
    valueDescriptions: {
      customer_service: 'The customer service was not good enough.',
      low_quality: 'The quality was not good enough.',
      missing_features: 'The buyer needed features that were missing.',
      other: 'There was another reason, or none was given.',
      switched_service: 'The buyer has switched to another service.',
      too_complex: 'It was too complex for the buyer.',
      too_expensive: 'It was too expensive for the buyer.',
      unused: 'The buyer did not use it.',
      'did-not-want': 'The buyer did not want it.',
      'bugs-or-problems': 'There were bugs or other problems.',
    },
    spellings: {
      'did-not-use': 'unused',
      'missing-features': 'missing_features',
      'too-expensive': 'too_expensive',
    },
    description: 'The reason for the cancellation. `other` if a subscription is canceled without a reason.',
  },
  cancelDescription: { ...PERSONAL, description: 'The reason for the cancellation, in words.' },
  churnedAt: {
    ...TIME,
    description:
      'When the service ended for lack of payment. A canceled subscription ends when the paid period ends.',
  },
  nextChargeAt: {
    ...TIME,
    description: 'When the subscription is charged next.',
    rule: 'By default at the end of its trial or first period.',
  },
  recurringInvoicesPaidCount: { type: 'int4', description: 'The number of paid renewals.' },
  notes: { ...PERSONAL, maxLength: 20_000, description: 'Notes about the order.' },
  ...ADDRESSES,
  tagIds: {
    type: 'int8[]',
    refers: orderTag,
    description: 'The integer ids of the tags, in the order in which they were applied.',
  },
  orderPage: {
    type: 'json',
    nullable: true,
    object: IDS_AND_NAME,
    description: 'The page on which the order was placed.',
  },
  originationChannelId: {
    graphql: false,
    type: 'int8',
    description:
      'The id of the channel from which the order came. For an order that was created over the API this is the workspace.',
  },
  originationChannelPublicId: {
    graphql: false,
    type: 'text',
    description: 'The public id of the channel from which the order came.',
  },
  originationChannelType: {
    graphql: false,
    type: 'text',
    description: 'The type of the channel from which the order came.',
  },
  originationChannelName: {
    graphql: false,
    type: 'text',
    description: 'The name of the channel from which the order came.',
  },
  affiliate: {
    type: 'json',
    nullable: true,
    object: { name: ALWAYS_NULL_TEXT, email: ALWAYS_NULL_TEXT },
    description: ALWAYS_NULL_TEXT.description,
  },
  referralCode: {
    type: 'json',
    nullable: true,
    object: {
      code: ALWAYS_NULL_TEXT,
      default: { type: 'bool', nullable: true, description: ALWAYS_NULL_TEXT.description },
    },
    description: ALWAYS_NULL_TEXT.description,
  },
  contact: {
    type: 'jsonb',
    nullable: true,
    object: contact.fields,
    needs: 'contacts',
    description: 'The buyer. Null if the caller may not read contacts.',
  },
} as const satisfies Fields;

/** The most fulfillments in an order. */
export const MAX_FULFILLMENTS = 100;

/** A fulfillment in its order. Erasure blanks the fulfillment's own row. */
export const FULFILLMENT_IN_ORDER = Object.fromEntries(
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
