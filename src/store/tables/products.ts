// The computed columns of a product: its variants, prices, tags and main image.
import { product } from '../../resources/products.ts';
import { joinedTags } from '../sql/tags.ts';
import { existingIds, ownTable } from './table.ts';

const ofProduct = (table: string) =>
  `select v.id from ${table} v where v.workspace_id = $row_workspace and v.product_id = t.id`;

/** SQL of the ids of a product's rows: first those that clients have put in an order, then the others. */
const idsInClientOrder = (table: string, first: string) =>
  `array(${ofProduct(table)} order by array_position(t.${first}, v.id), v.id)`;

const IMAGE_IDS = existingIds('images', 't.image_ids');

/** Pairs of products and their existing tags. */
const TAGS = `(select p.workspace_id, p.id as product_id, g.id as tag_id
  from product_tags g join products p on p.workspace_id = g.workspace_id and g.id = any(p.tag_ids))`;

export const productTable = ownTable(product, {
  computed: {
    imageId: `(${IMAGE_IDS})[1]`,
    imageIds: IMAGE_IDS,
    defaultVariantId: `(${ofProduct('product_variants')} and v.is_default)`,
    variantIds: idsInClientOrder('product_variants', 'variant_ids'),
    priceIds: idsInClientOrder('product_prices', 'price_ids'),
    tagIds: existingIds('product_tags', 't.tag_ids'),
  },
  below: joinedTags('tagged_products', 'product_id', 'product_tags'),
  matches: {
    tagIds: { table: TAGS, row: 'product_id', value: 'tag_id' },
    sku: { table: 'product_variants', row: 'product_id', value: 'sku', repeats: true },
  },
});
