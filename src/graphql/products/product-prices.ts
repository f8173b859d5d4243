// Adds to prices the other prices to which a customer can change.
import { price } from '../../resources/product-prices.ts';
import * as prices from '../../services/products/product-prices.ts';
import { builder } from '../builder.ts';
import { loadBatched } from '../context.ts';
import { assumedRows } from '../field-options.ts';
import { nodeOf } from '../nouns.ts';

const Price = nodeOf(price);

const PriceChangeOptions = builder.objectRef<prices.ChangeOptions>('PriceChangeOptions').implement({
  description:
    'The prices to which a customer can change: the other visible prices of the same product, payment type and currency that are not archived.',
  fields: (t) => ({
    upgrade: t.field({
      type: [Price.ref],
      scope: null,
      rows: assumedRows(),
      description: 'The prices with the same or a higher amount.',
      resolve: ({ upgrade }) => upgrade.flatMap((one) => one.prices),
    }),
    downgrade: t.field({
      type: [Price.ref],
      scope: null,
      rows: assumedRows(),
      description: 'The prices with a lower amount.',
      resolve: ({ downgrade }) => downgrade.flatMap((one) => one.prices),
    }),
  }),
});

Price.addField('changeOptions', (t) =>
  t.field({
    type: PriceChangeOptions,
    nullable: true,
    scope: prices.scope,
    description: 'The prices to which a customer can change.',
    columns: ['id'],
    resolve: ({ id }, _args, ctx) =>
      loadBatched(ctx, 'change_options', id, (ids) => prices.findChangeOptions(ctx, ids)),
  }),
);
