// The computed columns of a restock and of its lines.
import type { restock, restockLineItem } from '../../resources/order-restocks.ts';
import type { Special } from './table.ts';

export const restockTable: Special<typeof restock> = {
  computed: {
    contactId: `(select o.contact_id from order_invoices i join orders o on o.workspace_id = i.workspace_id and o.id = i.order_id
      where i.workspace_id = t.workspace_id and i.id = t.invoice_id)`,
  },
};

export const restockLineItemTable: Special<typeof restockLineItem> = {
  computed: { fulfillmentId: 'null::bigint' },
};
