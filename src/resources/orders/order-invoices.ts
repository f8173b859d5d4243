// The invoice of an order, and its lines.
import { contact } from '../contacts.ts';
import { ALWAYS_NULL_TEXT, IDS, OF_WORKSPACE } from '../description/common-fields.ts';
import type { Field, Fields } from '../description/fields.ts';
import { describe, type Row } from '../description/resource.ts';
import { INVOICE_LINES } from '../fulfillments.ts';
import { PAYMENT_TYPES, price } from '../product-prices.ts';
import { variant } from '../product-variants.ts';
import { product } from '../products.ts';
import { workspace } from '../workspaces.ts';
import { ORDER_BASE } from './order-base.ts';
import { MAX_LINE_ITEMS } from './order-line-items.ts';
import { AMOUNT, CURRENCY, IDS_AND_NAME, VISITS } from './order-parts.ts';
import {
  FULFILLMENT_STATUS_DESCRIPTIONS,
  FULFILLMENT_STATUSES,
  INVOICE_STATUSES,
  INVOICE_TRANSITIONS,
} from './order-statuses.ts';
import { order, orderLineItem } from './orders.ts';

/** A tax field that is always null, because the gateway does not compute taxes. */
const TAX = {
  graphql: false,
  type: 'number',
  nullable: true,
  description: 'Always null: the gateway does not record taxes by authority.',
} as const;
const JURISDICTION = { ...ALWAYS_NULL_TEXT, description: TAX.description } as const;

const INVOICE_LINE_ITEM = {
  ...INVOICE_LINES,
  fields: {
    ...IDS,
    invoiceId: { type: 'int8', description: 'The integer id of its invoice.' },
    orderLineItemId: {
      type: 'int8',
      nullable: true,
      refers: orderLineItem,
      notInParent: true,
      description: 'The integer id of the order line that this line bills, or null.',
    },
    productId: {
      type: 'int8',
      refers: product,
      notInParent: true,
      description: 'The integer id of the product.',
      objectDescription: 'The product that is billed, as it is now.',
    },
    variantId: {
      graphql: 'output',
      type: 'int8',
      refers: variant,
      writable: 'at_creation',
      required: true,
      notInParent: true,
      description: 'The integer id of the variant.',
      objectDescription: 'The variant that is billed, as it is now.',
    },
    priceId: {
      type: 'int8',
      refers: price,
      restName: 'products_price_id',
      writable: 'at_creation',
      required: true,
      notInParent: true,
      description: 'The integer id of the price, which belongs to the variant.',
      objectDescription: 'The price for which it is billed, as it is now.',
    },
    description: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 2_000,
      description: 'The description of the line on the invoice.',
    },
    quantity: {
      type: 'count',
      writable: 'always',
      required: true,
      mustBe: 'at least 1',
      description: 'The quantity, at least 1.',
    },
    currency: { ...CURRENCY, notInParent: true },
    amount: {
      graphqlName: 'unitPrice',
      ...AMOUNT,
      writable: 'always',
      required: true,
      description: 'The unit price.',
    },
    paymentType: {
      type: 'text',
      nullable: true,
      values: PAYMENT_TYPES,
      description: 'The payment type of the price.',
    },
    fulfillmentStatus: {
      type: 'text',
      values: ['unfulfilled', 'partially_fulfilled', 'complete', 'ignored'],
      valueDescriptions: {
        unfulfilled: 'Nothing of the line was shipped yet.',
        partially_fulfilled: 'Part of the line was shipped.',
        complete: 'The complete line was shipped.',
        ignored: 'The line has nothing to ship.',
      },
      description: 'The fulfillment status of the line.',
    },
    periodNumber: {
      type: 'int4',
      nullable: true,
      restAsText: true,
      description: 'The number of the subscription period that the line bills.',
    },
    periodStartAt: { type: 'timestamp', nullable: true, description: 'When the billed period begins.' },
    periodEndAt: { type: 'timestamp', nullable: true, description: 'When the billed period ends.' },
    productsPrice: {
      type: 'jsonb',
      object: {
        id: { type: 'int8', description: 'The integer id.' },
        publicId: { type: 'text', description: 'The short public id.' },
        amount: { type: 'text', description: 'The unit price.' },
        currency: { type: 'currency', description: 'The currency.' },
        duration: { type: 'text', nullable: true, description: 'The number of payments.' },
        interval: { type: 'text', nullable: true, description: 'The unit of the time between two payments.' },
        intervalCount: {
          type: 'text',
          nullable: true,
          description: 'The number of these units between two payments.',
        },
      },
      description: 'The price at the time of billing.',
    },
    productsVariant: {
      type: 'jsonb',
      object: {
        ...IDS_AND_NAME,
        productId: { type: 'int8', description: 'The integer id of its product.' },
        description: { type: 'text', nullable: true, description: 'The name of the variant.' },
        sku: { type: 'text', nullable: true, description: 'The stock-keeping unit.' },
        fulfillmentRequired: { type: 'bool', description: 'Whether the variant has to be shipped.' },
      },
      description: 'The variant at the time of billing.',
    },
    externalId: { type: 'text', graphql: false, description: 'Always empty: the gateway has no such id.' },
    externalProductId: ALWAYS_NULL_TEXT,
    discountAmount: TAX,
    stateTaxAmount: TAX,
    countyTaxAmount: TAX,
    cityTaxAmount: TAX,
    districtTaxAmount: TAX,
    stateTaxRate: TAX,
    countyTaxRate: TAX,
    cityTaxRate: TAX,
    districtTaxRate: TAX,
    countryTaxJurisdiction: JURISDICTION,
    stateTaxJurisdiction: JURISDICTION,
    countyTaxJurisdiction: JURISDICTION,
    cityTaxJurisdiction: JURISDICTION,
    createdAt: { type: 'timestamp', description: 'When the line was created.' },
    updatedAt: { type: 'timestamp', description: 'When the line was last changed.' },
  },
} as const;

/** The order in its invoices. Erasure blanks the order's own row. */
export const ORDER_IN_INVOICE = Object.fromEntries(
  Object.entries<Field>(ORDER_BASE).map(([property, { personal: _, ...field }]) => [property, field]),
) as Fields as typeof ORDER_BASE;

const TIME = { type: 'timestamp', nullable: true, writable: 'always' } as const;

export const invoice = describe({
  type: 'Invoice',
  title: 'Invoice',
  table: 'order_invoices',
  number: 27n,
  parent: order,
  plural: 'invoices',
  path: 'invoices',
  members: 'orders/invoices',
  lists: [
    {
      under: contact,
      by: 'contact',
      plural: 'invoices',
      indexes: {},
      description: 'The invoices of the contact’s orders.',
    },
    {
      under: workspace,
      key: 'workspaceId',
      path: 'orders/invoices',
      plural: 'invoices',
      indexes: {
        externalId: 'order_invoices_workspace_id_external_id_id_idx',
        invoiceNumber: 'order_invoices_workspace_id_invoice_number_key',
        invoiceType: 'order_invoices_workspace_id_invoice_type_id_idx',
        status: 'order_invoices_workspace_id_status_id_idx',
      },
    },
  ],
  most: 1_000,
  wrapper: 'orders_invoice',
  scope: 'store',
  topic: 'orders/invoice',
  subjectType: 'Orders::Invoice',
  verbs: ['create', 'update'],
  actions: { abandon: { summary: 'Abandons an unpaid invoice: its payment is no longer expected' } },
  events: ['created', 'updated', 'paid', 'refunded', 'abandoned', 'past_due', 'fulfilled', 'voided'],
  description: 'A bill for an order. An order has one from the start.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    orderId: { type: 'int8', description: 'The integer id of its order.' },
    invoiceNumber: {
      type: 'text',
      writable: 'always',
      maxLength: 255,
      description: 'The invoice number, unique in the workspace. Empty for a draft.',
      rule: 'By default it is the next number of the workspace, without gaps.',
    },
    invoiceType: {
      graphqlName: 'type',
      type: 'text',
      values: [
        'cancellation',
        'charge',
        'initial',
        'interim',
        'one_time',
        'one_time_sale',
        'refund',
        'renewal',
      ],
      valueDescriptions: {
        cancellation: 'An invoice for the cancellation of an order.',
        charge: 'An additional charge for the order.',
        initial: 'The first invoice of a subscription.',
        interim: 'An invoice between two renewals, such as for a prorated change.',
        one_time: 'The invoice of a one-time order.',
        one_time_sale: 'A one-time sale in addition to the order.',
        refund: 'An invoice that records a refund.',
        renewal: 'The invoice for a later period of a subscription.',
      },
      writable: 'at_creation',
      default: 'charge',
      description:
        'The reason for the invoice: `one_time` or `initial` for the order itself, `renewal` for a later period of a subscription.',
    },
    status: {
      type: 'text',
      values: INVOICE_STATUSES,
      valueDescriptions: {
        draft: 'The invoice is a draft and was not issued yet.',
        unpaid: 'The invoice was issued, and nothing of it is paid.',
        'past-due': 'The invoice was not paid in full by its due date.',
        'partially-paid': 'Part of the invoice has been paid.',
        paid: 'The invoice is paid in full.',
        'partially-refunded': 'Part of the payment was refunded.',
        disputed: 'The buyer disputes the payment.',
        refunded: 'The payment was refunded in full.',
        abandoned: 'The shop no longer expects payment: the buyer never paid.',
        voided: 'The invoice was declared void: nothing of it is to be paid.',
      },
      transitions: INVOICE_TRANSITIONS,
      writable: 'always',
      required: true,
      description: 'The payment status of the invoice. It determines the billing status of the order.',
    },
    externalId: {
      type: 'text',
      writable: 'always',
      default: '',
      maxLength: 255,
      description: 'The id of the invoice in another system. Empty without one.',
    },
    currency: CURRENCY,
    subtotalAmount: { ...AMOUNT, description: 'The sum of the lines.' },
    shippingAmount: {
      ...AMOUNT,
      writable: 'always',
      default: '0',
      description: 'The shipping cost, which the total includes.',
    },
    taxAmount: { ...AMOUNT, description: 'The tax on the invoice.' },
    discountAmount: { ...AMOUNT, description: 'The discount, which the total leaves out.' },
    totalAmount: { ...AMOUNT, description: 'The total: lines, shipping and tax, minus the discount.' },
    dueAmount: {
      ...AMOUNT,
      description: 'The amount that is still due. Zero if the invoice does not expect payment.',
    },
    paidAmount: { ...AMOUNT, internal: true, description: 'The sum of approved payments.' },
    issuedAt: {
      ...TIME,
      description: 'When the invoice was issued.',
      rule: 'By default, when it stopped being a draft.',
    },
    dueAt: { ...TIME, description: 'When the payment is due.' },
    paidAt: {
      ...TIME,
      description: 'When the invoice was paid.',
      rule: 'By default, when it was marked as paid.',
    },
    fulfillmentStatus: {
      type: 'text',
      values: FULFILLMENT_STATUSES,
      valueDescriptions: FULFILLMENT_STATUS_DESCRIPTIONS,
      valuesName: 'OrderFulfillmentStatus',
      description: 'The fulfillment status of the invoice.',
    },
    eligibleForFulfillment: {
      graphqlName: 'isEligibleForFulfillment',
      type: 'bool',
      description:
        'Whether goods of the invoice can be fulfilled. That is the case if something is left to ship, the invoice was not voided, abandoned or refunded in full, and the order is not a canceled one-time order.',
    },
    paymentProcessor: {
      graphql: false,
      type: 'text',
      description: 'The payment processor: always `external`, because the gateway takes no payments.',
    },
    lineItems: {
      type: 'jsonb',
      children: INVOICE_LINE_ITEM,
      items: INVOICE_LINE_ITEM.fields,
      writable: 'always',
      changes: ['update'],
      restGiven: 'line_items_attributes',
      maxLength: MAX_LINE_ITEMS,
      description: 'The lines of the invoice.',
    },
    visits: {
      type: 'json',
      object: VISITS,
      description: 'The visits before the order. The gateway does not record them.',
    },
    order: { type: 'jsonb', object: ORDER_IN_INVOICE, description: 'The order of the invoice.' },
    createdAt: { type: 'timestamp', description: 'When the invoice was created.' },
    updatedAt: { type: 'timestamp', description: 'When the invoice was last changed.' },
  },
  filters: {
    id: { unique: true },
    invoiceNumber: { unique: true, index: 'order_invoices_workspace_id_invoice_number_key' },
    externalId: { index: 'order_invoices_workspace_id_order_id_id_idx' },
    invoiceType: { index: 'order_invoices_workspace_id_order_id_id_idx' },
    status: { index: 'order_invoices_workspace_id_order_id_id_idx' },
  },
  sorts: ['createdAt', 'updatedAt', 'totalAmount'],
  scannedSorts: ['totalAmount'],
});

export const invoiceLineItem = describe({
  ...INVOICE_LINE_ITEM,
  number: 28n,
  hasLookUp: false,
  parent: invoice,
  most: MAX_LINE_ITEMS,
  scope: 'store',
  description: 'A line of an invoice: a quantity of one variant.',
});

export interface InvoiceRow extends Row<typeof invoice> {}
