// The restock: things of an invoice that came back into stock.
import { invoice, invoiceLineItem } from './order-invoices.ts';
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { workspace } from './workspaces.ts';

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
  description: 'Things of one line of an invoice that came back into stock.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    invoiceId: { type: 'int8', description: 'The integer id of its invoice.' },
    invoiceLineItemId: {
      type: 'int8',
      refers: invoiceLineItem,
      description: 'The integer id of the line of the invoice.',
    },
    quantity: { type: 'count', description: 'How many came back.' },
    reason: { type: 'text', nullable: true, description: 'Why they came back.' },
    createdAt: { type: 'timestamp', description: 'When they came back.' },
    updatedAt: { type: 'timestamp', description: 'When the restock was last changed.' },
  },
  sorts: ['updatedAt'],
});

export interface RestockRow extends Row<typeof restock> {}
