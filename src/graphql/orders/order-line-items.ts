// The totals of lines of orders and invoices, and the copies that these keep of product, variant and price: the originals may have changed
// since the sale.
import { lineTotal } from '../../resources/orders/line-totals.ts';
import { invoiceLineItem } from '../../resources/orders/order-invoices.ts';
import { orderLineItem } from '../../resources/orders/orders.ts';
import { builder } from '../builder.ts';
import { moneyType } from '../money.ts';
import { nodeOf } from '../nouns.ts';

builder.objectFields(nodeOf(orderLineItem).ref, (t) => ({
  originalName: t.string({
    columns: ['productsVariant'],
    description: 'The name of the variant at the time of the order.',
    resolve: ({ productsVariant }) => productsVariant.name,
  }),
  originalSku: t.string({
    nullable: true,
    columns: ['productsVariant'],
    description: 'The stock-keeping unit of the variant at the time of the order.',
    resolve: ({ productsVariant }) => productsVariant.sku,
  }),
  originalProductName: t.string({
    columns: ['originalProduct'],
    description: 'The name of the product at the time of the order.',
    resolve: ({ originalProduct }) => originalProduct.name,
  }),
  totalAmount: t.field({
    type: moneyType(),
    columns: ['firstAmount', 'quantity', 'setupAmount', 'currency'],
    description:
      'The share of the line in the total of the order: `firstUnitPrice` times the quantity, plus `setupAmount`.',
    resolve: ({ firstAmount, quantity, setupAmount, currency }) => ({
      amount: lineTotal(firstAmount, quantity, setupAmount),
      currency,
    }),
  }),
}));

builder.objectFields(nodeOf(invoiceLineItem).ref, (t) => ({
  originalName: t.string({
    columns: ['productsVariant'],
    description: 'The name of the variant at the time of billing.',
    resolve: ({ productsVariant }) => productsVariant.name,
  }),
  originalSku: t.string({
    nullable: true,
    columns: ['productsVariant'],
    description: 'The stock-keeping unit of the variant at the time of billing.',
    resolve: ({ productsVariant }) => productsVariant.sku,
  }),
  totalAmount: t.field({
    type: moneyType(),
    columns: ['amount', 'quantity', 'currency'],
    description: 'The unit price times the quantity.',
    resolve: ({ amount, quantity, currency }) => ({ amount: lineTotal(amount, quantity), currency }),
  }),
}));
