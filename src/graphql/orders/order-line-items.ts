// The copies that lines of orders and invoices keep of the product, variant and price: the originals may have changed since the sale.
import { invoiceLineItem } from '../../resources/orders/order-invoices.ts';
import { orderLineItem } from '../../resources/orders/orders.ts';
import { builder } from '../builder.ts';
import { moneyField } from '../money.ts';
import { nodeOf } from '../nouns.ts';

const UNIT_PRICE = 'unitPrice';

builder.objectFields(nodeOf(orderLineItem).ref, (t) => {
  const { fields } = orderLineItem;
  const description = 'The price of one as it was ordered, whatever the price is now.';
  return {
    originalName: t.string({
      columns: ['productsVariant'],
      description: 'The name of the variant as it was ordered.',
      resolve: ({ productsVariant }) => productsVariant.name,
    }),
    originalProductName: t.string({
      columns: ['originalProduct'],
      description: 'The name of the product as it was ordered.',
      resolve: ({ originalProduct }) => originalProduct.name,
    }),
    [UNIT_PRICE]: moneyField(t, 'amount', { ...fields.amount, description }, fields),
  };
});

builder.objectFields(nodeOf(invoiceLineItem).ref, (t) => {
  const { fields } = invoiceLineItem;
  const description = 'The price of one as it was billed, whatever the price is now.';
  return {
    originalName: t.string({
      columns: ['productsVariant'],
      description: 'The name of the variant as it was billed.',
      resolve: ({ productsVariant }) => productsVariant.name,
    }),
    [UNIT_PRICE]: moneyField(t, 'amount', { ...fields.amount, description }, fields),
  };
});
