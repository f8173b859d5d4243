// The computed columns of a product: its variants, prices, tags and main image.
import type { product } from '../../resources/products.ts';
import { existingIds, type Special } from './table.ts';

const ofProduct = (table: string) =>
  `select v.id from ${table} v where v.workspace_id = t.workspace_id and v.product_id = t.id`;

const IMAGE_IDS = existingIds('images', 't.image_ids');

export const productTable: Special<typeof product> = {
  computed: {
    imageId: `(${IMAGE_IDS})[1]`,
    imageIds: IMAGE_IDS,
    defaultVariantId: `(${ofProduct('product_variants')} and v.is_default)`,
    variantIds: `array(${ofProduct('product_variants')} order by v.id)`,
    priceIds: `array(${ofProduct('product_prices')} order by v.id)`,
    tagIds: existingIds('product_tags', 't.tag_ids'),
  },
};
