// The computed columns of a restock: the returned goods, and the order's contact.
import { restock } from '../../../resources/orders/order-restocks.ts';
import { ownTable } from '../table.ts';

export const restockTable = ownTable(restock, {
  computed: {
    contactId: `(select orders.contact_id from order_invoices join orders
        on orders.workspace_id = order_invoices.workspace_id and orders.id = order_invoices.order_id
      where order_invoices.workspace_id = $row_workspace and order_invoices.id = t.invoice_id)`,
    includedInvoicesLineItems: `(select coalesce('[' || string_agg('{"id":' || l.invoice_line_item_id || ',"public_id":null,"invoices_line_item_id":'
        || l.invoice_line_item_id || ',"fulfillment_id":null,"quantity":' || l.quantity || '}', ',' order by l.invoice_line_item_id) || ']', '[]')::json
      from order_restock_line_items l where l.workspace_id = $row_workspace and l.restock_id = t.id)`,
  },
});
