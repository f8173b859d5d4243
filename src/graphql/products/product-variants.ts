// What variants have besides their noun's fields: their values in the properties of their product.
import { variant } from '../../resources/product-variants.ts';
import { variantProperty } from '../../resources/products.ts';
import type { RowOf } from '../../resources/resource.ts';
import { builder } from '../builder.ts';
import { nodeOf } from '../nouns.ts';
import { resourceFields } from '../resource-fields.ts';

const { propertiesValues } = variant.fields;
const { items, itemType, description } = propertiesValues;

const VariantPropertyValue = builder.objectRef<RowOf<typeof items>>(itemType).implement({
  description: 'What a variant is in one property of its product.',
  isPart: true,
  fields: (t) => ({
    ...resourceFields(t, items),
    property: nodeOf(variantProperty).field(t, 'propertyId', 'The property.'),
  }),
});

builder.objectField(nodeOf(variant).ref, 'propertiesValues', (t) =>
  t.field({
    type: [VariantPropertyValue],
    description,
    columns: ['propertiesValues'],
    resolve: (row) => row.propertiesValues,
  }),
);
