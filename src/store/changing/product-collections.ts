// The SQL that is specific to changes of collections: the order in which products were added.
import type { ChangeRules } from './rules.ts';

export const COLLECTION_RULES: ChangeRules = {
  derived: {
    added_ids: {
      onCreate: 'n.product_ids',
      onUpdate: `array(select i.id from unnest(n.product_ids) with ordinality i (id, place)
        order by array_position(o.added_ids, i.id), i.place)`,
    },
  },
};
