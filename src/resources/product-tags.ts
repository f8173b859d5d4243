// The label of products.
import { describe, type Row } from './resource.ts';
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
  description: 'A label for products of a workspace. When it is deleted, products and collections lose it.',
  topic: 'products/tag',
  subjectType: 'Products::Tag',
  filters: { id: { unique: true } },
});

export interface ProductTagRow extends Row<typeof productTag> {}
