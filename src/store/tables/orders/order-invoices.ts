// The computed columns of an invoice and of its lines.
import {
  type invoice,
  type invoiceLineItem,
  ORDER_INSIDE,
} from '../../../resources/orders/order-invoices.ts';
import { order } from '../../../resources/orders/orders.ts';
import { otherAsJson } from '../../sql/row-json.ts';
import { columnsOf, type Special } from '../table.ts';
import { NO_VISITS, ORDER_BASE_COMPUTED } from './orders.ts';

const ORDERS = {
  name: order.table,
  resource: { ...order, fields: ORDER_INSIDE },
  columns: columnsOf({ ...order, fields: ORDER_INSIDE }, ORDER_BASE_COMPUTED),
};

export const invoiceTable: Special<typeof invoice> = {
  computed: {
    invoiceNumber: `coalesce(t.invoice_number, '')`,
    eligibleForFulfillment: `(t.fulfillment_status <> 'not_applicable' and t.status in ('paid', 'partially-refunded'))`,
    paymentProcessor: `'external'`,
    visits: NO_VISITS,
    order: otherAsJson(ORDERS, 'orders.workspace_id = t.workspace_id and orders.id = t.order_id'),
  },
  matches: { invoiceNumber: { key: 't.invoice_number' } },
};

export const invoiceLineItemTable: Special<typeof invoiceLineItem> = {
  computed: {
    currency: `(t.products_price ->> 'currency')`,
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
};
