// The copies that lines of orders and invoices keep of the product, variant and price: the originals may have changed since the sale.
import { invoiceLineItem } from '../../resources/orders/order-invoices.ts';
import { orderLineItem } from '../../resources/orders/orders.ts';
import { builder } from '../builder.ts';
import { moneyField } from '../money.ts';
import { nodeOf } from '../nouns.ts';

const UNIT_PRICE = 'unitPrice';

builder.objectFields(nodeOf(orderLineItem).ref, (t) => {
  const { fields } = orderLineItem;
  const description = 'The unit price at the time of the order, even if the price has changed since.';
  return {
    originalName: t.string({
      columns: ['productsVariant'],
      description: 'The name of the variant at the time of the order.',
      resolve: ({ productsVariant }) => productsVariant.name,
    }),
    originalProductName: t.string({
      columns: ['originalProduct'],
      description: 'The name of the product at the time of the order.',
      resolve: ({ originalProduct }) => originalProduct.name,
    }),
    [UNIT_PRICE]: moneyField(t, 'amount', { ...fields.amount, description }, fields),
  };
});

builder.objectFields(nodeOf(invoiceLineItem).ref, (t) => {
  const { fields } = invoiceLineItem;
  const description = 'The unit price at the time of billing, even if the price has changed since.';
  return {
    originalName: t.string({
      columns: ['productsVariant'],
      description: 'The name of the variant at the time of billing.',
      resolve: ({ productsVariant }) => productsVariant.name,
    }),
    [UNIT_PRICE]: moneyField(t, 'amount', { ...fields.amount, description }, fields),
  };
});
