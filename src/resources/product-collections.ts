// The collection of products that a store shows together.
import { image } from './images.ts';
import { productTag } from './product-tags.ts';
import { product } from './products.ts';
import { ARCHIVED, describe, IDS, NAME, OF_WORKSPACE, type Row } from './resource.ts';
import { workspace } from './workspaces.ts';

/** The most products of a collection. */
export const MAX_PRODUCTS = 1_000;

const TEXT = { type: 'text', nullable: true, writable: 'always', maxLength: 2_000 } as const;
const IMAGE_ID = {
  type: 'int8',
  refers: image,
  nullable: true,
  writable: 'always',
  restAsText: true,
} as const;

export const collection = describe({
  type: 'Collection',
  title: 'Collection',
  table: 'product_collections',
  number: 20n,
  parent: workspace,
  plural: 'collections',
  path: 'products/collections',
  scope: 'store',
  verbs: ['create', 'update'],
  wrapper: 'products_collection',
  description: 'Products that the store shows together: chosen by hand, or those that have one of its tags.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    description: { ...TEXT, maxLength: 20_000, description: 'What visitors should know of it.' },
    collectionType: {
      type: 'text',
      values: ['manual', 'automatic'],
      writable: 'always',
      default: 'manual',
      description: 'Whether its products are those that were given, or all that have one of its tags.',
    },
    productIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: product,
      objectDescription: `Its products in the order of \`sortMethod\`, the first ${MAX_PRODUCTS}.`,
      maxLength: MAX_PRODUCTS,
      description: `The integer ids of its products in the order of its sort method, the first ${MAX_PRODUCTS}. What is given chooses the products of a manual collection, in their order; an automatic one keeps it for later.`,
    },
    tagIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: productTag,
      distinct: true,
      maxLength: 50,
      description: 'The integer ids of the tags whose products an automatic collection has.',
    },
    sortMethod: {
      type: 'text',
      values: [
        ...(['manually', 'added_at_asc', 'added_at_desc', 'created_at_asc', 'created_at_desc'] as const),
        ...(['name_asc', 'name_desc', 'price_asc', 'price_desc'] as const),
      ],
      writable: 'always',
      default: 'manually',
      description:
        'The order of its products: as given, or by when they were added, by when they were created, by name, or by their lowest price that is visible and not archived. What an automatic collection has is added when it is created.',
    },
    ...ARCHIVED,
    archived: { ...ARCHIVED.archived, writable: 'always' },
    imageId: { ...IMAGE_ID, description: 'The integer id of its image.' },
    visibleInStore: {
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether the store shows it.',
    },
    currentPath: { type: 'text', nullable: true, description: 'The path of its page: always null.' },
    seoTitle: { ...TEXT, description: 'The title that search engines are given.' },
    seoDescription: { ...TEXT, description: 'The description that search engines are given.' },
    seoIndexable: {
      type: 'text',
      nullable: true,
      description: 'Whether search engines may list it: always null.',
    },
    socialImageId: {
      ...IMAGE_ID,
      description: 'The integer id of the image that is shown where its page is shared.',
    },
    createdAt: { type: 'timestamp', description: 'When the collection was created.' },
    updatedAt: { type: 'timestamp', description: 'When the collection was last changed.' },
  },
  topic: 'products/collection',
  subjectType: 'Products::Collection',
  filters: {
    id: { unique: true },
    visibleInStore: { index: 'product_collections_visible_in_store_id_idx' },
    archived: { index: 'product_collections_workspace_id_archived_id_idx' },
  },
  sorts: ['updatedAt'],
});

export interface CollectionRow extends Row<typeof collection> {}
