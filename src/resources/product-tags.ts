// The label of products.
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { tag } from './tags.ts';
import { workspace } from './workspaces.ts';

export const productTag = describe({
  type: 'ProductTag',
  title: 'Product tag',
  table: 'product_tags',
  number: 21n,
  parent: workspace,
  plural: 'productTags',
  path: 'products/tags',
  scope: 'store',
  verbs: ['create', 'update', 'remove'],
  wrapper: 'products_tag',
  description: 'A label for products of a workspace. When it is deleted, products and collections lose it.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: tag.fields.name,
    color: tag.fields.color,
    createdAt: { type: 'timestamp', description: 'When the tag was created.' },
    updatedAt: { type: 'timestamp', description: 'When the tag was last changed.' },
  },
  topic: 'products/tag',
  subjectType: 'Products::Tag',
  filters: { id: { unique: true } },
  sorts: ['updatedAt'],
});

export interface ProductTagRow extends Row<typeof productTag> {}
