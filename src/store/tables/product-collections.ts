// The computed columns of a collection: its products, by hand or by its tags, in their order.
import { type collection, MAX_PRODUCTS } from '../../resources/product-collections.ts';
import { existingIds, type Special } from './table.ts';

const TAG_IDS = existingIds('product_tags', 't.tag_ids');

/** What the sort methods compare, of a product `p` of the collection `t`. */
const COMPARED = {
  added_at: `case t.collection_type when 'manual' then array_position(t.added_ids, p.id) else p.id end`,
  created_at: 'p.created_at',
  name: 'p.name',
  price: `(select min(r.amount) from product_prices r
    where r.workspace_id = t.workspace_id and r.product_id = p.id and r.visible and not r.archived)`,
};

const ORDER = [
  ...Object.entries(COMPARED).flatMap(([method, sql]) =>
    ['asc', 'desc'].map(
      (way) => `case t.sort_method when '${method}_${way}' then ${sql} end ${way} nulls last`,
    ),
  ),
  // By hand as they were given.
  `case t.collection_type when 'manual' then array_position(t.product_ids, p.id) end`,
  'p.id',
].join(', ');

const PRODUCTS = 'select p.* from products p where p.workspace_id = t.workspace_id';
/** Each reads by an index of its own. */
const BY_HAND = `${PRODUCTS} and t.collection_type = 'manual' and p.id = any(t.product_ids)`;
const BY_TAGS = `${PRODUCTS} and t.collection_type = 'automatic' and p.tag_ids && ${TAG_IDS}`;

export const collectionTable: Special<typeof collection> = {
  computed: {
    productIds: `array(select p.id from (${BY_HAND} union all ${BY_TAGS}) p order by ${ORDER} limit ${MAX_PRODUCTS})`,
    tagIds: TAG_IDS,
    currentPath: 'null::text',
    seoIndexable: 'null::text',
  },
};
