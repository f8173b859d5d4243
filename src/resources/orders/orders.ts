// The order (a one-time sale or a subscription), and its lines.
import { contact } from '../contacts.ts';
import { fulfillment } from '../fulfillments.ts';
import { page } from '../pages.ts';
import { price } from '../product-prices.ts';
import { variant } from '../product-variants.ts';
import { product } from '../products.ts';
import { describe, type Field, type Fields, IDS, OF_WORKSPACE, type Row } from '../resource.ts';
import { workspace } from '../workspaces.ts';
import { NAMED, UNKNOWN, VISITS } from './order-parts.ts';
import {
  BILLING_STATUSES,
  BILLING_TRANSITIONS,
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
  description: 'The currency of all its amounts (ISO 4217).',
} as const;

/** Computed sums and amounts, which clients cannot set. */
export const AMOUNT = { type: 'decimal', currency: 'currency' } as const;

/** The quantity of a line: a `count` of at least one. */
const QUANTITY = { type: 'count', required: true, description: 'How many, at least one.' } as const;

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
    },
    variantId: {
      type: 'int8',
      refers: variant,
      writable: 'at_creation',
      required: true,
      notInParent: true,
      description: 'The integer id of the variant that was ordered.',
    },
    priceId: {
      type: 'int8',
      refers: price,
      restName: 'products_price_id',
      writable: 'at_creation',
      required: true,
      notInParent: true,
      description: 'The integer id of the price that it was ordered at: one of the variant.',
    },
    quantity: { ...QUANTITY, writable: 'at_creation' },
    currency: { ...CURRENCY, notInParent: true },
    amount: { ...AMOUNT, notInParent: true, description: 'The price of one when it was ordered.' },
    firstAmount: {
      ...AMOUNT,
      notInParent: true,
      description:
        'The price of one in the first period: that of the trial where there is one, else the same as `amount`.',
    },
    setupAmount: {
      ...AMOUNT,
      notInParent: true,
      description: 'What is paid for the line once, however many were ordered.',
    },
    prorated: {
      type: 'text',
      nullable: true,
      description: 'Whether its last change was prorated; null where there was none.',
    },
    originalProduct: {
      type: 'jsonb',
      object: NAMED,
      description: 'The product as it was when it was ordered.',
    },
    productsPrice: {
      type: 'jsonb',
      object: {
        id: { type: 'int8', description: 'The integer id.' },
        publicId: { type: 'text', description: 'The short public id.' },
        name: { type: 'text', nullable: true, description: 'The name.' },
        amount: { type: 'text', description: 'The price of one.' },
        currency: { type: 'currency', description: 'The currency.' },
        duration: { type: 'int4', nullable: true, description: 'How many payments there are.' },
        interval: { type: 'text', nullable: true, description: 'The unit of the time between two payments.' },
        intervalCount: {
          type: 'int4',
          nullable: true,
          description: 'How many of those there are between two payments.',
        },
        key: { type: 'text', nullable: true, description: 'The key of the price.' },
      },
      description: 'The price as it was when it was ordered.',
    },
    productsVariant: {
      type: 'jsonb',
      object: {
        ...NAMED,
        description: { type: 'text', nullable: true, description: 'What it is.' },
        sku: { type: 'text', nullable: true, description: 'The stock-keeping unit.' },
      },
      description: 'The variant as it was when it was ordered.',
    },
    createdAt: { type: 'timestamp', description: 'When it was ordered.' },
    updatedAt: { type: 'timestamp', description: 'When it was last changed.' },
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

/** Addresses as the buyer entered them. */
const ADDRESSES = {
  shippingAddressFirstName: { ...PERSONAL, description: 'Where to send it: the first name.' },
  shippingAddressLastName: { ...PERSONAL, description: 'Where to send it: the last name.' },
  shippingAddressOrganizationName: { ...PERSONAL, description: 'Where to send it: the organization.' },
  shippingAddressPhoneNumber: { ...PERSONAL, description: 'Where to send it: the phone number.' },
  shippingAddressStreetOne: { ...PERSONAL, description: 'Where to send it: the first line of the street.' },
  shippingAddressStreetTwo: { ...PERSONAL, description: 'Where to send it: the second line of the street.' },
  shippingAddressCity: { ...PERSONAL, description: 'Where to send it: the city.' },
  shippingAddressRegion: { ...PERSONAL, description: 'Where to send it: the region or state.' },
  shippingAddressCountry: { ...PERSONAL, description: 'Where to send it: the country.' },
  shippingAddressPostalCode: { ...PERSONAL, description: 'Where to send it: the postal code.' },
  billingAddressStreetOne: {
    ...PERSONAL,
    description: 'Where to send the bill: the first line of the street.',
  },
  billingAddressStreetTwo: {
    ...PERSONAL,
    description: 'Where to send the bill: the second line of the street.',
  },
  billingAddressCity: { ...PERSONAL, description: 'Where to send the bill: the city.' },
  billingAddressRegion: { ...PERSONAL, description: 'Where to send the bill: the region or state.' },
  billingAddressCountry: { ...PERSONAL, description: 'Where to send the bill: the country.' },
  billingAddressPostalCode: { ...PERSONAL, description: 'Where to send the bill: the postal code.' },
} as const satisfies Fields;

const STATUS = { type: 'text', writable: 'always' } as const;
const TIME = { type: 'timestamp', nullable: true, writable: 'always' } as const;

/** The fields of an order that its invoices include too. */
export const ORDER_BASE = {
  ...IDS,
  orderNumber: { type: 'int4', restAsText: true, description: 'Counts up in the workspace.' },
  orderType: {
    type: 'text',
    values: ORDER_TYPES,
    writable: 'at_creation',
    required: true,
    description: 'Whether it is a sale of once or a subscription.',
  },
  liveMode: {
    type: 'bool',
    writable: 'at_creation',
    required: true,
    description: 'False for an order that only tries the shop.',
  },
  totalAmount: {
    ...AMOUNT,
    description:
      'What was ordered: of each line the amount of one times the quantity, in a trial the amount of the trial, and the set-up. Tax is in it.',
  },
  billingStatus: {
    ...STATUS,
    values: BILLING_STATUSES,
    transitions: BILLING_TRANSITIONS,
    description:
      'What its invoices say together. Giving it changes the invoices to which it applies. By default `pending`, and `paid` where a one-time order costs nothing.',
  },
  serviceStatus: {
    ...STATUS,
    values: SERVICE_STATUSES,
    transitions: SERVICE_TRANSITIONS,
    description:
      'Whether the buyer gets what was ordered. By default `pending`; when it is paid, a one-time order becomes `completed` and a subscription `active`, which it also is in its trial.',
  },
  inTrial: { type: 'bool', description: 'Whether it is in its trial.' },
  trialEndAt: { type: 'timestamp', nullable: true, description: 'When the trial ends or ended.' },
  activatedAt: { ...TIME, description: 'When the service began.' },
  canceledAt: { ...TIME, description: 'When it was canceled.' },
  canceledBy: {
    ...PERSONAL,
    description: 'Who canceled it: `API` where it was canceled by its own request.',
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
    description: 'Why it was canceled. Of a subscription that is canceled without a reason `other`.',
  },
  cancelDescription: { ...PERSONAL, description: 'Why it was canceled, in words.' },
  churnedAt: {
    ...TIME,
    description:
      'When the service ended because it was not paid. A subscription that is canceled ends when it is not paid any more.',
  },
  nextChargeAt: {
    ...TIME,
    description:
      'When a subscription is charged next. By default when its trial or its first period is over.',
  },
  recurringInvoicesPaidCount: { type: 'int4', description: 'How many of its renewals were paid.' },
  notes: { ...PERSONAL, maxLength: 20_000, description: 'Notes about the order.' },
  ...ADDRESSES,
  tagIds: {
    type: 'int8[]',
    refers: orderTag,
    description: 'The integer ids of its tags, in the order in which they were applied.',
  },
  orderPage: { type: 'json', nullable: true, object: NAMED, description: 'The page that it was made on.' },
  originationChannelId: {
    type: 'int8',
    description: 'Where the order came from. One that was made over the API came through its workspace.',
  },
  originationChannelPublicId: { type: 'text', description: 'The public id of where the order came from.' },
  originationChannelType: { type: 'text', description: 'What the order came from.' },
  originationChannelName: { type: 'text', description: 'The name of where the order came from.' },
  affiliate: {
    type: 'json',
    nullable: true,
    object: { name: UNKNOWN, email: UNKNOWN },
    description: UNKNOWN.description,
  },
  referralCode: {
    type: 'json',
    nullable: true,
    object: { code: UNKNOWN, default: { type: 'bool', nullable: true, description: UNKNOWN.description } },
    description: UNKNOWN.description,
  },
  contact: {
    type: 'jsonb',
    nullable: true,
    object: contact.fields,
    needs: 'contacts',
    description: 'The buyer; null for those who may not read contacts.',
  },
} as const satisfies Fields;

/** The most fulfillments in an order. */
export const MAX_FULFILLMENTS = 100;

/** A fulfillment in its order. Erasure blanks the fulfillment's own row. */
export const FULFILLMENT_INSIDE = Object.fromEntries(
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
      summary: 'Cancels a subscription, and voids its invoices that are not paid',
      fields: { cancelReason: ORDER_BASE.cancelReason, cancelDescription: ORDER_BASE.cancelDescription },
    },
  },
  description:
    'What a contact ordered. Products, variants and prices are copied into its lines, so that it stays what was ordered. No payment is taken: what is paid is recorded by whoever takes it.',
  fields: {
    ...ORDER_BASE,
    ...OF_WORKSPACE,
    contactId: {
      type: 'int8',
      refers: contact,
      writable: 'at_creation',
      description:
        'The integer id of the contact that ordered it. Either this is given or the attributes of the contact.',
      objectDescription: 'The contact that ordered it.',
    },
    externalId: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'What another system calls it.',
    },
    currency: CURRENCY,
    taxAmount: { ...AMOUNT, description: 'The tax in the total.' },
    refundedAmount: {
      ...AMOUNT,
      description: 'What was paid back: the sum of the refunds of its transactions.',
    },
    fulfillmentStatus: {
      type: 'text',
      values: FULFILLMENT_STATUSES,
      valuesName: 'InvoiceFulfillmentStatus',
      description:
        'Whether its goods were sent, over its invoices: `complete` or `unfulfilled` where all of them say so, else `partial`. Invoices with nothing to send do not count, nor those of which nothing was sent and nothing can be sent any more (voided, abandoned, refunded in full, or of a one-time order that was canceled). `not_applicable` where none counts.',
    },
    fulfillmentIds: {
      type: 'int8[]',
      refers: fulfillment,
      expand: true,
      maxLength: MAX_FULFILLMENTS,
      description: `The integer ids of the fulfillments with goods of its invoices, the oldest first. Of more than ${MAX_FULFILLMENTS} the last ones.`,
      objectDescription: `The fulfillments with goods of its invoices, the oldest first. Of more than ${MAX_FULFILLMENTS} the last ones.`,
    },
    fulfillments: {
      type: 'jsonb',
      items: FULFILLMENT_INSIDE,
      expand: 'reads',
      description: `The fulfillments with goods of its invoices, the oldest first. Of more than ${MAX_FULFILLMENTS} the last ones.`,
    },
    lineItems: {
      type: 'jsonb',
      children: LINE_ITEM,
      items: LINE_ITEM.fields,
      writable: 'at_creation',
      restGiven: 'line_items_attributes',
      required: true,
      maxLength: MAX_LINE_ITEMS,
      description: 'What was ordered.',
    },
    workspace: { type: 'json', object: workspace.fields, description: 'Its workspace.' },
    paidUntil: {
      type: 'timestamp',
      description: 'Up to when it is paid: when it is charged next, else since when it runs.',
    },
    phoneNumber: { type: 'text', nullable: true, description: 'The phone number of the shipping address.' },
    paymentProcessor: { type: 'text', description: 'Who takes the money: always `external`.' },
    billingPaymentMethodId: UNKNOWN,
    contactGroups: { type: 'json', items: NAMED, description: 'The groups of the contact: none are known.' },
    segments: { type: 'json', items: NAMED, description: 'The segments of the contact: none are known.' },
    discountIds: { type: 'int8[]', description: 'The discounts of the order: none are known.' },
    funnelName: {
      ...UNKNOWN,
      description: 'The name of the funnel that shows the page that it was made on.',
    },
    pageId: {
      type: 'int8',
      nullable: true,
      refers: page,
      writable: 'at_creation',
      description:
        'The integer id of the page that it was made on, whose statistics count it once its invoices are paid.',
      objectDescription: 'The page that it was made on.',
    },
    pageName: { ...UNKNOWN, description: 'The name of the page that it was made on.' },
    previousLineItem: UNKNOWN,
    resourceInstallIntent: { type: 'text', description: 'Not known to the gateway: empty.' },
    visits: {
      type: 'json',
      object: VISITS,
      description: 'The visits before the order, of which nothing is known.',
    },
    workspaceSharingId: UNKNOWN,
    createdAt: { type: 'timestamp', description: 'When the order was made.' },
    updatedAt: { type: 'timestamp', description: 'When the order was last changed.' },
  },
  inputs: {
    contactAttributes: {
      type: 'json',
      object: {
        emailAddress: {
          ...EMAIL_ADDRESS,
          description: 'The e-mail address by which the contact is found.',
        },
      },
      nullable: true,
      writable: 'at_creation',
      description:
        'The contact that ordered it, in place of its id. It is created where no contact has this e-mail address.',
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
    orderType: { index: 'orders_workspace_id_order_type_id_idx' },
    liveMode: { index: 'orders_workspace_id_live_mode_id_idx', untimed: true },
  },
  refinedBy: 'OrdersFilter',
  sorts: ['updatedAt'],
});

export const orderLineItem = describe({
  ...LINE_ITEM,
  number: 26n,
  parent: order,
  members: 'orders/line_items',
  most: MAX_LINE_ITEMS,
  scope: 'store',
  topic: 'orders/line_item',
  subjectType: 'Orders::LineItem',
  description: 'What was ordered: so many of one variant, at one price.',
});

export interface OrderRow extends Row<typeof order> {}
