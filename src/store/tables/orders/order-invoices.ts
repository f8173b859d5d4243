// The computed columns of an invoice and of its lines.
import { ORDER_BASE } from '../../../resources/orders/order-base.ts';
import { invoice, invoiceLineItem } from '../../../resources/orders/order-invoices.ts';
import { order } from '../../../resources/orders/orders.ts';
import { withHidden } from '../../sql/personal-data.ts';
import { withPluralUnit } from '../../sql/price-terms.ts';
import { otherAsJson } from '../../sql/row-json.ts';
import { billedGoods, isCanceled, isUnsendable } from '../../sql/shipping.ts';
import { ROW_WORKSPACE } from '../../sql/statements.ts';
import { columnsOf, ownTable } from '../table.ts';
import { NO_VISITS, ORDER_BASE_COMPUTED } from './orders.ts';

const ORDERS = {
  name: order.table,
  resource: { ...order, fields: ORDER_BASE },
  columns: withHidden(order, columnsOf({ ...order, fields: ORDER_BASE }, ORDER_BASE_COMPUTED)),
};

/**
 * Whether the invoice can get a fulfillment. Its status does not suffice, because an earlier version did not update it when goods were
 * returned to stock.
 */
const ELIGIBLE = `(t.fulfillment_status in ('unfulfilled', 'partial') and not ${isUnsendable('t')}
  and not exists (select from orders o where o.workspace_id = $row_workspace and o.id = t.order_id and ${isCanceled('o')})
  and (not exists (select from order_restocks r where r.workspace_id = $row_workspace and r.invoice_id = t.id)
    or exists (select from ${billedGoods(ROW_WORKSPACE)}
      where l.workspace_id = $row_workspace and l.invoice_id = t.id and l.fulfillment_status <> 'ignored' and g.left > 0)))`;

export const invoiceTable = ownTable(invoice, {
  computed: {
    invoiceNumber: `coalesce(t.invoice_number, '')`,
    eligibleForFulfillment: ELIGIBLE,
    paymentProcessor: `'external'`,
    visits: NO_VISITS,
    order: otherAsJson(ORDERS, 'orders.workspace_id = $row_workspace and orders.id = t.order_id'),
  },
  pairs: {
    contact: {
      // The orders of the contact first: the planner would rather read all invoices in the order of the page.
      table: `(select o.workspace_id, o.contact_id, i.id as invoice_id from orders o cross join lateral (
        select i.id from order_invoices i where i.workspace_id = $row_workspace and i.order_id = o.id offset 0) i)`,
      row: 'invoice_id',
      value: 'contact_id',
      isUnordered: true,
    },
  },
  matches: { invoiceNumber: { key: 't.invoice_number' } },
});

export const invoiceLineItemTable = ownTable(invoiceLineItem, {
  computed: {
    currency: `(t.products_price ->> 'currency')`,
    productsPrice: withPluralUnit('t.products_price'),
    externalId: `''`,
    externalProductId: 'null::text',
    discountAmount: 'null::numeric',
    stateTaxAmount: 'null::numeric',
    countyTaxAmount: 'null::numeric',
    cityTaxAmount: 'null::numeric',
    districtTaxAmount: 'null::numeric',
    stateTaxRate: 'null::numeric',
    countyTaxRate: 'null::numeric',
    cityTaxRate: 'null::numeric',
    districtTaxRate: 'null::numeric',
    countryTaxJurisdiction: 'null::text',
    stateTaxJurisdiction: 'null::text',
    countyTaxJurisdiction: 'null::text',
    cityTaxJurisdiction: 'null::text',
  },
});
