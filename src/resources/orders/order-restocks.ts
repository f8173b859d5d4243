// The restock: items of an invoice that went back into stock.
import { contact } from '../contacts.ts';
import { ALWAYS_NULL_TEXT, IDS, OF_WORKSPACE } from '../description/common-fields.ts';
import { describe, type Row } from '../description/resource.ts';
import { workspace } from '../workspaces.ts';
import { invoice, invoiceLineItem } from './order-invoices.ts';
import { MAX_LINE_ITEMS } from './order-line-items.ts';

export const restock = describe({
  type: 'Restock',
  title: 'Restock',
  table: 'order_restocks',
  number: 30n,
  parent: invoice,
  plural: 'restocks',
  path: 'restocks',
  members: 'orders/invoices/restocks',
  lists: [
    {
      under: workspace,
      key: 'workspaceId',
      path: 'orders/invoices/restocks',
      plural: 'restocks',
      indexes: {},
    },
  ],
  wrapper: 'orders_invoices_restock',
  scope: 'store',
  topic: 'orders/invoices/restock',
  subjectType: 'Orders::Invoices::Restock',
  verbs: ['create'],
  gatewayOnly: ['list', 'create'],
  events: ['created'],
  description:
    'Items of an invoice that went back into stock. The stock of variants with a tracked quantity increases, but by no more than the order had reduced it.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    invoiceId: { type: 'int8', description: 'The integer id of its invoice.' },
    contactId: {
      type: 'int8',
      refers: contact,
      description: 'The integer id of the contact who ordered the items.',
    },
    status: {
      graphql: false,
      type: 'text',
      values: ['restocked'],
      valueDescriptions: { restocked: 'The items are back in stock.' },
      description: 'The status of the restock: always `restocked`.',
    },
    includedInvoicesLineItems: {
      graphqlName: 'lineItems',
      type: 'json',
      items: {
        id: { type: 'int8', description: 'The integer id of the invoice line. Each line is listed once.' },
        publicId: ALWAYS_NULL_TEXT,
        invoicesLineItemId: {
          graphqlName: 'invoiceLineItemId',
          type: 'int8',
          idsOf: invoiceLineItem,
          description: 'The integer id of the invoice line.',
        },
        fulfillmentId: {
          type: 'int8',
          nullable: true,
          description: 'Always null: the gateway does not have this information.',
        },
        quantity: { type: 'int4', description: 'The number of restocked items.' },
      },
      description: 'The goods that came back, by invoice line.',
    },
    reason: {
      type: 'text',
      nullable: true,
      writable: 'at_creation',
      maxLength: 2_000,
      personal: true,
      description: 'Why the items were restocked.',
    },
    createdAt: { type: 'timestamp', description: 'When the items were restocked.' },
    updatedAt: { type: 'timestamp', description: 'When the restock was last changed.' },
  },
  inputs: {
    includedInvoicesLineItemsAttributes: {
      graphqlName: 'lineItems',
      type: 'json',
      itemType: 'RestockedLineItem',
      items: {
        invoicesLineItemId: {
          graphqlName: 'invoiceLineItemId',
          type: 'int8',
          idsOf: invoiceLineItem,
          description: 'The integer id of an invoice line that bills a line of the order.',
        },
        quantity: {
          type: 'count',
          description:
            'The number of items to restock, at most the ordered quantity without earlier restocks.',
        },
      },
      writable: 'at_creation',
      required: true,
      maxLength: MAX_LINE_ITEMS,
      description: 'The goods that came back, by invoice line.',
    },
  },
  sorts: ['createdAt', 'updatedAt'],
});

export interface RestockRow extends Row<typeof restock> {}
