// The computed columns of a collection: its products, chosen by hand or by tags, in the order of its sort method.
import { collection, MAX_PRODUCTS } from '../../resources/product-collections.ts';
import { existingIds, ownTable } from './table.ts';

const TAG_IDS = existingIds('product_tags', 't.tag_ids');

const PRICE = `(select min(r.amount) from product_prices r
  where r.workspace_id = $row_workspace and r.product_id = p.id and r.visible and not r.archived)`;

/** The sort keys: of a product `p` that was chosen by hand for the collection `t`, and of a tagged product `m`. */
const COMPARED = {
  added_at: { byHand: 'array_position(t.added_ids, p.id)', byTag: 'm.product_id' },
  created_at: { byHand: 'p.created_at', byTag: 'm.created_at' },
  name: { byHand: 'p.name', byTag: 'm.name' },
  price: { byHand: PRICE, byTag: 'm.price' },
};
const METHODS = Object.entries(COMPARED).flatMap(([method, compared]) =>
  (['asc', 'desc'] as const).map((way) => ({ method: `${method}_${way}`, way, ...compared })),
);

const BY_HAND = `select p.id from products p where p.workspace_id = $row_workspace and p.id = any(t.product_ids)
  order by ${METHODS.map(({ method, way, byHand }) => `case t.sort_method when '${method}' then ${byHand} end ${way} nulls last`).join(', ')},
    array_position(t.product_ids, p.id), p.id limit ${MAX_PRODUCTS}`;

/**
 * SQL that reads the first products of each tag from an index in this order, then takes the first of all. `nulls last` only for the
 * nullable key: with it, the other indexes would not match.
 */
function byTags(key: string, way: 'asc' | 'desc'): string {
  const order = (of: string, product: string) =>
    of === product ? `${of} ${way}` : `${of} ${way}${key === 'm.price' ? ' nulls last' : ''}, ${product}`;
  return `select u.product_id from unnest(${TAG_IDS}) g (tag_id) cross join lateral (
      select m.product_id, ${key} as key from tagged_products m where m.workspace_id = $row_workspace and m.tag_id = g.tag_id
      order by ${order(key, 'm.product_id')} limit ${MAX_PRODUCTS}) u
    group by u.product_id, u.key order by ${key === 'm.product_id' ? `u.product_id ${way}` : order('u.key', 'u.product_id')} limit ${MAX_PRODUCTS}`;
}

const BY_TAGS = `case t.sort_method ${METHODS.map(({ method, way, byTag }) => `when '${method}' then array(${byTags(byTag, way)})`).join(' ')}
  else array(${byTags('m.product_id', 'asc')}) end`;

/** The tags of the product with the id `v.value` that still exist. */
const TAGS_OF_PRODUCT = `select g.id from tagged_products m join product_tags g on g.workspace_id = m.workspace_id and g.id = m.tag_id
  where m.workspace_id = $row_workspace and m.product_id = v.value`;

/** The collections of the product with the id `v.value`. No index has them: all collections of the workspace are compared, in the order of ids. */
const OF_PRODUCT = `(select c.workspace_id, c.id as collection_id, v.value as product_id from product_collections c
  where case c.collection_type when 'manual' then c.product_ids @> array[v.value] else c.tag_ids && array(${TAGS_OF_PRODUCT}) end)`;

export const collectionTable = ownTable(collection, {
  pairs: { product: { table: OF_PRODUCT, row: 'collection_id', value: 'product_id', isUnordered: true } },
  computed: {
    productIds: `(case t.collection_type when 'manual' then array(${BY_HAND}) else ${BY_TAGS} end)`,
    tagIds: TAG_IDS,
    currentPath: 'null::text',
    seoIndexable: 'null::text',
  },
});
