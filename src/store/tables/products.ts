// The computed columns of a product: its variants, prices, tags and main image.
import type { product } from '../../resources/products.ts';
import { existingIds, type Special } from './table.ts';

const ofProduct = (table: string) =>
  `select v.id from ${table} v where v.workspace_id = t.workspace_id and v.product_id = t.id`;

export const productTable: Special<typeof product> = {
  computed: {
    imageId: 't.image_ids[1]',
    defaultVariantId: `(${ofProduct('product_variants')} and v.is_default)`,
    variantIds: `array(${ofProduct('product_variants')} order by v.id)`,
    priceIds: `array(${ofProduct('product_prices')} order by v.id)`,
    tagIds: existingIds('product_tags', 't.tag_ids'),
  },
};
