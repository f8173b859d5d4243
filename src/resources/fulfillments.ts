// The fulfillment: goods of invoices that were sent to a contact, with their lines.
import { contact } from './contacts.ts';
import { fulfillmentLocation } from './fulfillment-locations.ts';
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { workspace } from './workspaces.ts';

/** The lines of invoices, to which fulfillments refer. Defined here, because orders.ts imports fulfillments. */
export const INVOICE_LINES = {
  type: 'InvoiceLineItem',
  title: 'Invoice line item',
  table: 'order_invoice_line_items',
} as const;

/** The most lines of one fulfillment. */
const MAX_LINES = 250;

const LINE_ITEM = {
  type: 'FulfillmentLineItem',
  title: 'Fulfillment line item',
  table: 'fulfillment_line_items',
  fields: {
    ...IDS,
    fulfillmentId: { type: 'int8', description: 'The integer id of its fulfillment.' },
    invoicesLineItemId: {
      type: 'int8',
      refers: INVOICE_LINES,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the invoice’s line that is sent.',
      objectDescription: 'The invoice’s line that is sent.',
    },
    quantity: {
      type: 'count',
      writable: 'at_creation',
      required: true,
      description: 'How many are sent: at least 1.',
    },
  },
} as const;

export const fulfillment = describe({
  type: 'Fulfillment',
  title: 'Fulfillment',
  table: 'fulfillments',
  number: 34n,
  parent: workspace,
  plural: 'fulfillments',
  path: 'fulfillments',
  lists: [{ under: contact, key: 'contactId', plural: 'fulfillments', indexes: {} }],
  wrapper: 'fulfillment',
  scope: 'store',
  topic: 'fulfillment',
  verbs: ['create', 'update', 'remove'],
  actions: { cancel: { summary: 'Cancels a fulfillment: its goods are to be sent again' } },
  events: ['created', 'updated'],
  description:
    'Goods that were sent to a contact. Of a line of an invoice no more is sent than was ordered, in all fulfillments that are not cancelled, and nothing that went back to stock without having been sent.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    fulfillmentNumber: { type: 'int4', description: 'Its number: they count up in the workspace.' },
    contactId: {
      type: 'int8',
      refers: contact,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the contact whose orders are sent.',
    },
    locationId: {
      type: 'int8',
      refers: fulfillmentLocation,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the location that it is sent from.',
    },
    status: {
      type: 'text',
      values: ['fulfilled', 'cancelled', 'restocked'],
      valuesName: 'FulfillmentStatus',
      transitions: { fulfilled: ['cancelled', 'restocked'] },
      description: 'Whether it was sent.',
    },
    shippingProvider: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'Who brings it.',
    },
    trackingCode: {
      type: 'text',
      nullable: true,
      writable: 'always',
      personal: true,
      maxLength: 255,
      description: 'By what the carrier knows it.',
    },
    trackingUrl: {
      type: 'text',
      nullable: true,
      writable: 'always',
      personal: true,
      maxLength: 2_000,
      description: 'Where one can see how far it is.',
    },
    lineItems: {
      type: 'json',
      children: LINE_ITEM,
      items: LINE_ITEM.fields,
      restName: 'included_invoices_line_items',
      restGiven: 'included_orders_invoices_line_items_attributes',
      writable: 'at_creation',
      required: true,
      maxLength: MAX_LINES,
      description: 'What is sent.',
    },
    createdAt: { type: 'timestamp', description: 'When it was sent.' },
    updatedAt: { type: 'timestamp', description: 'When the fulfillment was last changed.' },
  },
  inputs: {
    notifyCustomer: {
      type: 'bool',
      description: 'Taken, but nothing follows from it: the gateway sends no mail.',
    },
    ignoreOutOfStock: {
      type: 'bool',
      description: 'Taken, but nothing follows from it: stock is taken when the order is made.',
    },
  },
  sorts: ['updatedAt'],
});

export const fulfillmentLineItem = describe({
  ...LINE_ITEM,
  number: 35n,
  parent: fulfillment,
  most: MAX_LINES,
  scope: 'store',
  description: 'How many of an invoice’s line are in a fulfillment.',
});

export interface FulfillmentRow extends Row<typeof fulfillment> {}
