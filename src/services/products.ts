// Products: each is created with its default variant.
import { variant } from '../resources/product-variants.ts';
import { product } from '../resources/products.ts';
import { writableFields } from '../resources/resource.ts';
import { tableOf } from '../store/tables/tables.ts';
import { columnsOf, defaultsOf } from './column-values.ts';
import { writesOf } from './writes.ts';

const VARIANT = defaultsOf(writableFields(variant, 'creation'));

export const { writeScope, create, update, archive, unarchive } = writesOf(product, {
  children: [{ property: 'variants', table: tableOf(variant) }],
  companions: ({ name }) => ({
    variants: [
      { verb: 'create', index: 0, given: columnsOf(variant, { ...VARIANT, name, isDefault: true } as never) },
    ],
  }),
});
