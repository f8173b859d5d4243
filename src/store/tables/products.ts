// The computed columns of a product: its variants, prices, tags and main image.
import { product } from '../../resources/products.ts';
import { joinedTags, pairsOfTags } from '../sql/tags.ts';
import { existingIds, ownTable } from './table.ts';

const ofProduct = (table: string) =>
  `select v.id from ${table} v where v.workspace_id = $row_workspace and v.product_id = t.id`;

/** SQL of the ids of a product's rows: first those that clients have put in an order, then the others. */
const idsInClientOrder = (table: string, first: string) =>
  `array(${ofProduct(table)} order by array_position(t.${first}, v.id), v.id)`;

const IMAGE_IDS = existingIds('images', 't.image_ids');

const TAGGED = pairsOfTags('tagged_products', 'product_id', 'product_tags');

/** Pairs of collections and their products, chosen by hand or by tags. A product is never deleted. */
const COLLECTED = `(select c.workspace_id, c.id as collection_id, unnest(c.product_ids) as product_id
    from product_collections c where c.collection_type = 'manual'
  union select c.workspace_id, c.id, m.product_id from product_collections c
    join ${TAGGED} m on m.workspace_id = c.workspace_id and m.tag_id = any(c.tag_ids)
    where c.collection_type <> 'manual')`;

export const productTable = ownTable(product, {
  computed: {
    imageId: `(${IMAGE_IDS})[1]`,
    imageIds: IMAGE_IDS,
    defaultVariantId: `(${ofProduct('product_variants')} and v.is_default)`,
    variantIds: idsInClientOrder('product_variants', 'variant_ids'),
    priceIds: idsInClientOrder('product_prices', 'price_ids'),
    tagIds: existingIds('product_tags', 't.tag_ids'),
    courseIds: existingIds('courses', 't.course_ids'),
  },
  below: joinedTags('tagged_products', 'product_id', 'product_tags'),
  matches: {
    tagIds: { table: TAGGED, row: 'product_id', value: 'tag_id' },
    collectionIds: { table: COLLECTED, row: 'product_id', value: 'collection_id', isUnordered: true },
    sku: { table: 'product_variants', row: 'product_id', value: 'sku', repeats: true },
  },
});
