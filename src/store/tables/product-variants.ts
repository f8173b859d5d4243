// The computed columns of a variant: its prices, and its values of its product's properties.
import { variant } from '../../resources/product-variants.ts';
import { existingIds, ownTable } from './table.ts';

const NONE = 'array[]::bigint[]';

export const variantTable = ownTable(variant, {
  computed: {
    propertiesValueIds: NONE,
    // Leaves out properties that were removed from the product.
    propertiesValues: `(select coalesce(jsonb_agg(e.item order by e.place), '[]')
      from jsonb_array_elements(t.properties_values) with ordinality e (item, place)
        join variant_properties p on p.workspace_id = $row_workspace and p.product_id = t.product_id
          and p.id = (e.item ->> 'property_id')::bigint)`,
    tagIds: NONE,
    assetIds: NONE,
    imageIds: existingIds('images', 't.image_ids'),
    fulfillmentsLocationIds: existingIds('fulfillment_locations', 't.fulfillments_location_ids'),
    priceIds: `array(select r.id from product_prices r
      where r.workspace_id = $row_workspace and r.variant_id = t.id order by r.id)`,
    createdByPlatformApplication: 'null::json',
  },
});
