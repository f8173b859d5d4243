// The restock: things of an invoice that came back into stock.
import { contact } from './contacts.ts';
import { invoice, invoiceLineItem } from './order-invoices.ts';
import { UNKNOWN } from './order-parts.ts';
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
  description: 'Things of an invoice that came back into stock.',
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
    reason: { type: 'text', nullable: true, description: 'Why they came back.' },
    createdAt: { type: 'timestamp', description: 'When they came back.' },
    updatedAt: { type: 'timestamp', description: 'When the restock was last changed.' },
  },
  sorts: ['updatedAt'],
});

export interface RestockRow extends Row<typeof restock> {}
