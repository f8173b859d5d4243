// What a line of an order is. Its noun is below the order, and described with it (orders.ts).
import { IDS } from '../description/common-fields.ts';
import { price } from '../product-prices.ts';
import { variant } from '../product-variants.ts';
import { product } from '../products.ts';
import { AMOUNT, CURRENCY, IDS_AND_NAME } from './order-parts.ts';

/** The most lines of an order or an invoice. */
export const MAX_LINE_ITEMS = 250;

/** The quantity of a line: a `count` of at least one. */
const QUANTITY = { type: 'count', required: true, description: 'The quantity, at least 1.' } as const;

/** The noun without what leads to the order, which imports it. */
export const LINE_ITEM = {
  type: 'OrderLineItem',
  title: 'Line item',
  table: 'order_line_items',
  fields: {
    ...IDS,
    orderId: { type: 'int8', description: 'The integer id of its order.' },
    productId: {
      type: 'int8',
      refers: product,
      notInParent: true,
      description: 'The integer id of the product.',
      objectDescription: 'The product that was ordered, as it is now.',
    },
    variantId: {
      graphql: 'output',
      type: 'int8',
      refers: variant,
      writable: 'at_creation',
      required: true,
      notInParent: true,
      description: 'The integer id of the variant that was ordered.',
      objectDescription: 'The variant that was ordered, as it is now.',
    },
    priceId: {
      type: 'int8',
      refers: price,
      restName: 'products_price_id',
      writable: 'at_creation',
      required: true,
      notInParent: true,
      description: 'The integer id of the price, which belongs to the variant.',
      objectDescription: 'The price for which it was ordered, as it is now.',
    },
    quantity: { ...QUANTITY, writable: 'at_creation' },
    currency: { ...CURRENCY, notInParent: true },
    amount: {
      graphqlName: 'unitPrice',
      ...AMOUNT,
      notInParent: true,
      description: 'The unit price at the time of the order.',
    },
    firstAmount: {
      graphqlName: 'firstUnitPrice',
      ...AMOUNT,
      notInParent: true,
      description:
        'The unit price in the first period: the trial price if there is a trial, otherwise the price of every period.',
    },
    setupAmount: {
      ...AMOUNT,
      notInParent: true,
      description: 'The one-time setup amount of the line, whatever the quantity.',
    },
    prorated: {
      graphqlName: 'isProrated',
      type: 'text',
      isBoolean: true,
      nullable: true,
      description: 'Whether the last change of the line was prorated; null if it was never changed.',
    },
    originalProduct: {
      type: 'jsonb',
      object: IDS_AND_NAME,
      description: 'The product at the time of the order.',
    },
    productsPrice: {
      type: 'jsonb',
      object: {
        id: { type: 'int8', description: 'The integer id.' },
        publicId: { type: 'text', description: 'The short public id.' },
        name: { type: 'text', nullable: true, description: 'The name.' },
        amount: { type: 'text', description: 'The unit price.' },
        currency: { type: 'currency', description: 'The currency.' },
        duration: { type: 'int4', nullable: true, description: 'The number of payments.' },
        interval: { type: 'text', nullable: true, description: 'The unit of the time between two payments.' },
        intervalCount: {
          type: 'int4',
          nullable: true,
          description: 'The number of these units between two payments.',
        },
        key: { type: 'text', nullable: true, description: 'The key of the price.' },
      },
      description: 'The price at the time of the order.',
    },
    productsVariant: {
      type: 'jsonb',
      object: {
        ...IDS_AND_NAME,
        description: { type: 'text', nullable: true, description: 'The name of the variant.' },
        sku: { type: 'text', nullable: true, description: 'The stock-keeping unit.' },
      },
      description: 'The variant at the time of the order.',
    },
    createdAt: { type: 'timestamp', description: 'When the line was ordered.' },
    updatedAt: { type: 'timestamp', description: 'When the line was last changed.' },
  },
} as const;
