// The fulfillment: goods of invoices that were sent to a contact, with their lines.
import { contact } from './contacts.ts';
import { IDS, OF_WORKSPACE, UNCHECKED_URL } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { fulfillmentLocation } from './fulfillment-locations.ts';
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
      graphqlName: 'invoiceLineItemId',
      type: 'int8',
      refers: INVOICE_LINES,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the invoice line that is shipped.',
      objectDescription: 'The invoice line that is shipped.',
    },
    quantity: {
      type: 'count',
      writable: 'at_creation',
      required: true,
      description: 'The number of items that are shipped, at least 1.',
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
  actions: { cancel: { summary: 'Cancels a fulfillment, so that its goods can be shipped again' } },
  events: ['created', 'updated'],
  description:
    'Goods that were shipped to a contact. All fulfillments that are not cancelled can together ship at most the quantity of an invoice line, without items that were restocked before they were shipped.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    fulfillmentNumber: {
      type: 'int4',
      description: 'The number of the fulfillment. Fulfillments of a workspace are numbered consecutively.',
    },
    contactId: {
      type: 'int8',
      refers: contact,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the contact whose orders are shipped.',
    },
    locationId: {
      type: 'int8',
      refers: fulfillmentLocation,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the location from which the goods are shipped.',
    },
    status: {
      type: 'text',
      values: ['fulfilled', 'cancelled', 'restocked'],
      valueDescriptions: {
        fulfilled: 'The goods were shipped.',
        cancelled: 'The fulfillment was cancelled, so its goods can be shipped again.',
        restocked: 'The goods went back into stock.',
      },
      // GraphQL writes it in every enum as in those of orders and deliveries.
      synonyms: { cancelled: 'canceled' },
      valuesName: 'FulfillmentStatus',
      transitions: { fulfilled: ['cancelled', 'restocked'] },
      description: 'The status of the fulfillment.',
    },
    shippingProvider: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'The carrier that delivers the goods.',
    },
    trackingCode: {
      type: 'text',
      nullable: true,
      writable: 'always',
      personal: true,
      maxLength: 255,
      description: 'The carrier’s tracking number.',
    },
    trackingUrl: {
      type: 'text',
      nullable: true,
      writable: 'always',
      personal: true,
      maxLength: 2_000,
      description: `The URL where the shipment can be tracked. ${UNCHECKED_URL}`,
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
      description: 'The lines of the fulfillment.',
    },
    createdAt: { type: 'timestamp', description: 'When the fulfillment was created.' },
    updatedAt: { type: 'timestamp', description: 'When the fulfillment was last changed.' },
  },
  inputs: {
    notifyCustomer: {
      graphql: false,
      type: 'bool',
      description: 'Accepted for compatibility, without effect: the gateway sends no e-mail.',
    },
    ignoreOutOfStock: {
      graphql: false,
      type: 'bool',
      description: 'Accepted for compatibility, without effect: stock is reduced when the order is created.',
    },
  },
  filters: { status: { index: 'fulfillments_workspace_id_status_id_idx', untimed: true, graphqlOnly: true } },
  sorts: ['createdAt', 'updatedAt'],
});

export const fulfillmentLineItem = describe({
  ...LINE_ITEM,
  number: 35n,
  hasLookUp: false,
  parent: fulfillment,
  most: MAX_LINES,
  scope: 'store',
  description: 'One line of a fulfillment: the quantity of an invoice line that it ships.',
});

export interface FulfillmentRow extends Row<typeof fulfillment> {}
