// The price of a product's default variant, and the prices to which a customer can change, in the form of the public API.
import type { Fields, RowOf } from '../../resources/description/fields.ts';
import { price } from '../../resources/product-prices.ts';
import { variant } from '../../resources/product-variants.ts';
import * as prices from '../../services/products/product-prices.ts';
import { bodyOf } from '../body.ts';
import { createdOf, objectOf, outputOf } from '../responses.ts';
import { type Route, route } from '../route.ts';

const { id, publicId, name, amount, currency, key } = price.fields;
const { duration, interval, intervalCount } = price.fields;

/** Here REST has whole numbers as numbers, not as text. */
const asNumber = <F extends { restAsText: true }>({ restAsText: _, ...field }: F) => field;

const PRICE = {
  ...{ id, publicId, name, amount, currency },
  ...{ duration: asNumber(duration), interval, intervalCount: asNumber(intervalCount), key },
} as const satisfies Fields;

const GROUP = {
  productsVariant: {
    type: 'json',
    object: {
      ...{ id: variant.fields.id, publicId: variant.fields.publicId },
      ...{ productId: variant.fields.productId, name: variant.fields.name },
      prices: { type: 'json', items: PRICE, description: 'The prices, the oldest first.' },
    },
    description: 'A variant with some of its prices.',
  },
} as const satisfies Fields;

const changeOptions = outputOf({
  type: 'PriceChangeOptions',
  description: 'The prices to which a customer can change, by variant.',
  fields: {
    productsPricesChangeOptions: {
      type: 'json',
      object: {
        downgrade: { type: 'json', items: GROUP, description: 'The prices with a lower amount.' },
        upgrade: { type: 'json', items: GROUP, description: 'The prices with the same or a higher amount.' },
      },
      description: 'The prices to which a customer can change.',
    },
  } as const satisfies Fields,
});

const toGroups = (options: readonly prices.VariantOptions[]): RowOf<typeof GROUP>[] =>
  options.map(({ variant: { id, publicId, productId, name }, prices }) => ({
    productsVariant: { id, publicId, productId, name, prices: [...prices] },
  }));

export const priceRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/api/v2/products/:product_id/prices',
    operationId: 'createPriceOfProduct',
    summary: 'Creates a price of the default variant of a product',
    resource: price,
    scope: prices.writeScope,
    body: bodyOf(price, 'creation'),
    response: createdOf(outputOf(price), '/api/v2/products/prices/', { 201: 'The created price.' }),
    handle: ({ ctx, params, body, options }) =>
      prices.createOnDefaultVariant(ctx, params.product_id, body, options),
  }),
  route({
    method: 'GET',
    path: '/api/v2/products/prices/:price_id/change_options',
    operationId: 'getPriceChangeOptions',
    summary: 'Gets the prices to which a customer of a price can change',
    resource: price,
    scope: prices.scope,
    response: objectOf(changeOptions, 'The options: visible prices of the same product and kind.'),
    async handle({ ctx, params }) {
      const { upgrade, downgrade } = await prices.getChangeOptions(ctx, params.price_id);
      return {
        productsPricesChangeOptions: { downgrade: toGroups(downgrade), upgrade: toGroups(upgrade) },
      };
    },
  }),
];
