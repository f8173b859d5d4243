// Adds to variants their values of their product's properties.
import { variant } from '../../resources/product-variants.ts';
import { variantProperty } from '../../resources/products.ts';
import { builder } from '../builder.ts';
import { nodeOf } from '../nouns.ts';
import { objectFields, objectType } from '../resource-fields.ts';

const { items, itemType } = variant.fields.propertiesValues;

const ProductVariantPropertyValue = objectType(
  itemType,
  'A variant’s value of one property of its product.',
  items,
  (t) => ({ property: nodeOf(variantProperty).field(t, 'propertyId', 'The property of the product.') }),
);

builder.objectFields(nodeOf(variant).ref, (t) =>
  objectFields(t, variant.fields, { propertiesValues: ProductVariantPropertyValue }),
);
