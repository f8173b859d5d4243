// The restock: things of an invoice that came back into stock, and its lines.
import { invoice, invoiceLineItem } from './order-invoices.ts';
import { MAX_LINE_ITEMS } from './orders.ts';
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { workspace } from './workspaces.ts';

const RESTOCK_LINE_ITEM = {
  type: 'RestockLineItem',
  title: 'Restock line item',
  table: 'order_restock_line_items',
  fields: {
    ...IDS,
    restockId: { type: 'int8', description: 'The integer id of its restock.' },
    invoiceLineItemId: {
      type: 'int8',
      refers: invoiceLineItem,
      restName: 'invoices_line_item_id',
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the line of the invoice whose things came back.',
    },
    quantity: {
      type: 'count',
      writable: 'at_creation',
      required: true,
      description:
        'How many came back: at least one, and no more than were ordered and did not come back before.',
    },
    fulfillmentId: {
      type: 'int8',
      nullable: true,
      description:
        'The integer id of the fulfillment with which they were sent; null where that is not known.',
    },
  },
} as const;

export const restock = describe({
  type: 'Restock',
  title: 'Restock',
  table: 'order_restocks',
  number: 30n,
  parent: invoice,
  plural: 'restocks',
  path: 'restocks',
  members: 'orders/invoices/restocks',
  lists: [{ under: workspace, key: 'workspaceId', path: 'orders/invoices/restocks', plural: 'restocks' }],
  wrapper: 'orders_invoices_restock',
  scope: 'store',
  topic: 'orders/invoices/restock',
  subjectType: 'Orders::Invoices::Restock',
  verbs: ['create'],
  events: ['created'],
  description:
    'Things of an invoice that came back into stock. Variants whose quantity is tracked have so many more.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    invoiceId: { type: 'int8', description: 'The integer id of its invoice.' },
    contactId: { type: 'int8', description: 'The integer id of the contact that had ordered them.' },
    status: {
      type: 'text',
      values: ['completed'],
      description: 'How far it is: what came back is in stock at once.',
    },
    includedInvoicesLineItems: {
      type: 'json',
      children: RESTOCK_LINE_ITEM,
      items: RESTOCK_LINE_ITEM.fields,
      writable: 'at_creation',
      restGiven: 'included_invoices_line_items_attributes',
      required: true,
      maxLength: MAX_LINE_ITEMS,
      description: 'What came back.',
    },
    createdAt: { type: 'timestamp', description: 'When they came back.' },
    updatedAt: { type: 'timestamp', description: 'When the restock was last changed.' },
  },
  sorts: ['updatedAt'],
});

export const restockLineItem = describe({
  ...RESTOCK_LINE_ITEM,
  number: 42n,
  parent: restock,
  most: MAX_LINE_ITEMS,
  scope: 'store',
  description: 'So many things of one line of an invoice that came back into stock.',
});

export interface RestockRow extends Row<typeof restock> {}
