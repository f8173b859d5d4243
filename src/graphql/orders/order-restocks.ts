// What restocks have besides their noun's fields: what came back.
import { invoiceLineItem } from '../../resources/orders/order-invoices.ts';
import { restock } from '../../resources/orders/order-restocks.ts';
import type { RowOf } from '../../resources/resource.ts';
import { builder } from '../builder.ts';
import { nodeOf } from '../nouns.ts';
import { resourceFields } from '../resource-fields.ts';

const { includedInvoicesLineItems } = restock.fields;
const { items, description } = includedInvoicesLineItems;
const { invoicesLineItemId, quantity } = items;

const RestockedLineItem = builder.objectRef<RowOf<typeof items>>('RestockedLineItem').implement({
  description: 'How many of one line of an invoice came back.',
  isPart: true,
  fields: (t) => ({
    ...resourceFields(t, { invoicesLineItemId, quantity }),
    invoiceLineItem: nodeOf(invoiceLineItem).field(t, 'invoicesLineItemId', 'The line of the invoice.'),
  }),
});

builder.objectField(nodeOf(restock).ref, 'includedInvoicesLineItems', (t) =>
  t.field({
    type: [RestockedLineItem],
    description,
    columns: ['includedInvoicesLineItems'],
    resolve: (row) => row.includedInvoicesLineItems,
  }),
);
