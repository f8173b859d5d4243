// The invoice of an order, and its lines.
import { INVOICE_LINES } from '../fulfillments.ts';
import { PAYMENT_TYPES, price } from '../product-prices.ts';
import { variant } from '../product-variants.ts';
import { product } from '../products.ts';
import { describe, type Field, type Fields, IDS, OF_WORKSPACE, type Row } from '../resource.ts';
import { workspace } from '../workspaces.ts';
import { NAMED, UNKNOWN, VISITS } from './order-parts.ts';
import { FULFILLMENT_STATUSES, INVOICE_STATUSES, INVOICE_TRANSITIONS } from './order-statuses.ts';
import { AMOUNT, CURRENCY, MAX_LINE_ITEMS, ORDER_BASE, order, orderLineItem } from './orders.ts';

/** A tax field that is always null, because the gateway does not compute taxes. */
const TAX = {
  type: 'number',
  nullable: true,
  description: 'Taxes by authority are not known: null.',
} as const;
const JURISDICTION = { ...UNKNOWN, description: TAX.description } as const;

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
      description: 'The integer id of the line of the order that it bills, or null.',
    },
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
      description: 'The integer id of the variant.',
    },
    priceId: {
      type: 'int8',
      refers: price,
      restName: 'products_price_id',
      writable: 'at_creation',
      required: true,
      notInParent: true,
      description: 'The integer id of the price: one of the variant.',
    },
    description: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 2_000,
      description: 'What is billed, in words.',
    },
    quantity: {
      type: 'count',
      writable: 'always',
      required: true,
      mustBe: 'at least 1',
      description: 'How many, at least one.',
    },
    currency: { ...CURRENCY, notInParent: true },
    amount: { ...AMOUNT, writable: 'always', required: true, description: 'The price of one.' },
    paymentType: {
      type: 'text',
      nullable: true,
      values: PAYMENT_TYPES,
      description: 'How the price is paid, such as `one_time`.',
    },
    fulfillmentStatus: {
      type: 'text',
      values: ['unfulfilled', 'partially_fulfilled', 'complete', 'ignored'],
      description: 'Whether it was sent; `ignored` where there is nothing to send.',
    },
    periodNumber: {
      type: 'int4',
      nullable: true,
      restAsText: true,
      description: 'Which period of a subscription it is for.',
    },
    periodStartAt: { type: 'timestamp', nullable: true, description: 'When that period begins.' },
    periodEndAt: { type: 'timestamp', nullable: true, description: 'When that period ends.' },
    productsPrice: {
      type: 'jsonb',
      object: {
        id: { type: 'int8', description: 'The integer id.' },
        publicId: { type: 'text', description: 'The short public id.' },
        amount: { type: 'text', description: 'The price of one.' },
        currency: { type: 'currency', description: 'The currency.' },
        duration: { type: 'text', nullable: true, description: 'How many payments there are.' },
        interval: { type: 'text', nullable: true, description: 'The unit of the time between two payments.' },
        intervalCount: {
          type: 'text',
          nullable: true,
          description: 'How many of those there are between two payments.',
        },
      },
      description: 'The price as it was when it was billed.',
    },
    productsVariant: {
      type: 'jsonb',
      object: {
        ...NAMED,
        productId: { type: 'int8', description: 'The integer id of its product.' },
        description: { type: 'text', nullable: true, description: 'What it is.' },
        sku: { type: 'text', nullable: true, description: 'The stock-keeping unit.' },
        fulfillmentRequired: { type: 'bool', description: 'Whether it has to be sent.' },
      },
      description: 'The variant as it was when it was billed.',
    },
    externalId: { type: 'text', description: 'Not known to the gateway: empty.' },
    externalProductId: UNKNOWN,
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
    createdAt: { type: 'timestamp', description: 'When it was written.' },
    updatedAt: { type: 'timestamp', description: 'When it was last changed.' },
  },
} as const;

/** The order in its invoices. Erasure blanks the order's own row. */
export const ORDER_INSIDE = Object.fromEntries(
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
  actions: { abandon: { summary: 'Abandons an invoice that was not paid' } },
  events: ['created', 'updated', 'paid', 'refunded', 'abandoned', 'past_due', 'fulfilled', 'voided'],
  description: 'What is to be paid of an order at once. An order has one from the start.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    orderId: { type: 'int8', description: 'The integer id of its order.' },
    invoiceNumber: {
      type: 'text',
      writable: 'always',
      maxLength: 255,
      description:
        'Its number, unique in the workspace; empty while it is a draft. Where none is given, the next one of the workspace, without a gap.',
    },
    invoiceType: {
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
      writable: 'at_creation',
      default: 'charge',
      description:
        'Why it was written: `one_time` or `initial` with its order, `renewal` for a later period.',
    },
    status: {
      type: 'text',
      values: INVOICE_STATUSES,
      transitions: INVOICE_TRANSITIONS,
      writable: 'always',
      required: true,
      description: 'Whether it was paid. The billing status of the order follows from it.',
    },
    externalId: {
      type: 'text',
      writable: 'always',
      default: '',
      maxLength: 255,
      description: 'What another system calls it; empty where none does.',
    },
    currency: CURRENCY,
    subtotalAmount: { ...AMOUNT, description: 'The sum of its lines.' },
    shippingAmount: { ...AMOUNT, writable: 'always', default: '0', description: 'What the shipping costs.' },
    taxAmount: { ...AMOUNT, description: 'The tax on what it bills.' },
    discountAmount: { ...AMOUNT, description: 'What is taken off.' },
    totalAmount: { ...AMOUNT, description: 'The sum of lines, shipping and tax without the discount.' },
    dueAmount: {
      ...AMOUNT,
      description:
        'What is still to be paid: of the total what payments have not brought while it waits for money, else zero.',
    },
    paidAmount: { ...AMOUNT, internal: true, description: 'What approved payments have brought.' },
    issuedAt: { ...TIME, description: 'When it was issued: by default when it was no draft any more.' },
    dueAt: { ...TIME, description: 'Up to when it is to be paid.' },
    paidAt: { ...TIME, description: 'When it was paid: by default when its status said so.' },
    fulfillmentStatus: {
      type: 'text',
      values: FULFILLMENT_STATUSES,
      valuesName: 'InvoiceFulfillmentStatus',
      description: 'Whether what it bills was sent; `not_applicable` where there is nothing to send.',
    },
    eligibleForFulfillment: {
      type: 'bool',
      description:
        'Whether a fulfillment of it can be made: something of it is left to be sent, it was not voided, abandoned or refunded in full, and its order is no one-time order that was canceled.',
    },
    paymentProcessor: { type: 'text', description: 'Who takes the money: always `external`.' },
    lineItems: {
      type: 'jsonb',
      children: INVOICE_LINE_ITEM,
      items: INVOICE_LINE_ITEM.fields,
      writable: 'always',
      changes: ['update'],
      restGiven: 'line_items_attributes',
      maxLength: MAX_LINE_ITEMS,
      description: 'What is billed.',
    },
    visits: {
      type: 'json',
      object: VISITS,
      description: 'The visits before the order, of which nothing is known.',
    },
    order: { type: 'jsonb', object: ORDER_INSIDE, description: 'Its order.' },
    createdAt: { type: 'timestamp', description: 'When the invoice was written.' },
    updatedAt: { type: 'timestamp', description: 'When the invoice was last changed.' },
  },
  filters: {
    id: { unique: true },
    invoiceNumber: { unique: true, index: 'order_invoices_workspace_id_invoice_number_key' },
    externalId: { index: 'order_invoices_workspace_id_order_id_id_idx' },
    invoiceType: { index: 'order_invoices_workspace_id_order_id_id_idx' },
    status: { index: 'order_invoices_workspace_id_order_id_id_idx' },
  },
  sorts: ['updatedAt'],
});

export const invoiceLineItem = describe({
  ...INVOICE_LINE_ITEM,
  number: 28n,
  parent: invoice,
  most: MAX_LINE_ITEMS,
  scope: 'store',
  description: 'What is billed: so many of one variant.',
});

export interface InvoiceRow extends Row<typeof invoice> {}
