// The label of products.
import { describe, type Row } from './description/resource.ts';
import { LABEL } from './tags.ts';

export const productTag = describe({
  ...LABEL,
  type: 'ProductTag',
  title: 'Product tag',
  table: 'product_tags',
  number: 21n,
  plural: 'productTags',
  path: 'products/tags',
  scope: 'store',
  wrapper: 'products_tag',
  description:
    'A label for the products of a workspace. Deleting a tag removes it from all products and collections.',
  topic: 'products/tag',
  subjectType: 'Products::Tag',
  filters: { id: { unique: true } },
});

export interface ProductTagRow extends Row<typeof productTag> {}
