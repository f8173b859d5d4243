// Adds to restocks the lines that came back.
import { invoiceLineItem } from '../../resources/orders/order-invoices.ts';
import { restock } from '../../resources/orders/order-restocks.ts';
import { builder } from '../builder.ts';
import { nodeOf } from '../nouns.ts';
import { objectFields, objectType } from '../resource-fields.ts';

const { invoicesLineItemId, quantity } = restock.fields.includedInvoicesLineItems.items;

const RestockedLineItem = objectType(
  'RestockedLineItem',
  'The restocked quantity of one invoice line.',
  { invoicesLineItemId, quantity },
  (t) => ({
    invoiceLineItem: nodeOf(invoiceLineItem).field(
      t,
      'invoicesLineItemId',
      'The line that billed the goods that came back.',
    ),
  }),
);

builder.objectFields(nodeOf(restock).ref, (t) =>
  objectFields(t, restock.fields, { includedInvoicesLineItems: RestockedLineItem }),
);
