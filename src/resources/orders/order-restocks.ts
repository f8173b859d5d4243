// The restock: items of an invoice that went back into stock.
import { contact } from '../contacts.ts';
import { describe, IDS, OF_WORKSPACE, type Row } from '../resource.ts';
import { workspace } from '../workspaces.ts';
import { invoice, invoiceLineItem } from './order-invoices.ts';
import { UNKNOWN } from './order-parts.ts';
import { MAX_LINE_ITEMS } from './orders.ts';

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
  events: ['created'],
  description:
    'Things of an invoice that came back into stock. Variants whose quantity is tracked have so many more, but no more than the order took out of stock.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    invoiceId: { type: 'int8', description: 'The integer id of its invoice.' },
    contactId: {
      type: 'int8',
      refers: contact,
      description: 'The integer id of the contact that ordered them.',
    },
    status: {
      type: 'text',
      values: ['restocked'],
      description: 'Always `restocked`: they are back in stock.',
    },
    includedInvoicesLineItems: {
      type: 'json',
      items: {
        id: { type: 'int8', description: 'The integer id of the line of the invoice, which is there once.' },
        publicId: UNKNOWN,
        invoicesLineItemId: {
          type: 'int8',
          idsOf: invoiceLineItem,
          description: 'The integer id of the line of the invoice.',
        },
        fulfillmentId: { type: 'int8', nullable: true, description: 'Not known to the gateway: null.' },
        quantity: { type: 'int4', description: 'How many of it came back.' },
      },
      description: 'What came back.',
    },
    reason: {
      type: 'text',
      nullable: true,
      writable: 'at_creation',
      maxLength: 2_000,
      personal: true,
      description: 'Why they came back.',
    },
    createdAt: { type: 'timestamp', description: 'When they came back.' },
    updatedAt: { type: 'timestamp', description: 'When the restock was last changed.' },
  },
  inputs: {
    includedInvoicesLineItemsAttributes: {
      type: 'json',
      itemType: 'RestockedLineItem',
      items: {
        invoicesLineItemId: {
          type: 'int8',
          idsOf: invoiceLineItem,
          description: 'The integer id of a line of the invoice that bills what was ordered.',
        },
        quantity: {
          type: 'count',
          description: 'How many of it came back: no more than were ordered and did not come back before.',
        },
      },
      writable: 'at_creation',
      required: true,
      maxLength: MAX_LINE_ITEMS,
      description: 'What came back.',
    },
  },
  sorts: ['updatedAt'],
});

export interface RestockRow extends Row<typeof restock> {}
