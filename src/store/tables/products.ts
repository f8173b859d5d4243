// The computed columns of a product: its variants, prices, tags and main image.
import type { product } from '../../resources/products.ts';
import { existingIds, type Special } from './table.ts';

const ofProduct = (table: string) =>
  `select v.id from ${table} v where v.workspace_id = t.workspace_id and v.product_id = t.id`;

const IMAGE_IDS = existingIds('images', 't.image_ids');

/** Which product has which tag that still exists. */
const TAGS = `(select p.workspace_id, p.id as product_id, g.id as tag_id
  from product_tags g join products p on p.workspace_id = g.workspace_id and g.id = any(p.tag_ids))`;

export const productTable: Special<typeof product> = {
  computed: {
    imageId: `(${IMAGE_IDS})[1]`,
    imageIds: IMAGE_IDS,
    defaultVariantId: `(${ofProduct('product_variants')} and v.is_default)`,
    variantIds: `array(${ofProduct('product_variants')} order by v.id)`,
    priceIds: `array(${ofProduct('product_prices')} order by v.id)`,
    tagIds: existingIds('product_tags', 't.tag_ids'),
  },
  matches: { tagIds: { table: TAGS, row: 'product_id', value: 'tag_id' } },
};
