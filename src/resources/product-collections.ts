// The collection of products that a store shows together.
import { ARCHIVED, IDS, NAME, OF_WORKSPACE, WRITABLE_ARCHIVED } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { image } from './images.ts';
import { productTag } from './product-tags.ts';
import { product } from './products.ts';
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
  description: 'A group of products in the store: chosen manually, or all products with one of its tags.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    description: {
      ...TEXT,
      maxLength: 20_000,
      description: 'The description of the collection for visitors.',
    },
    collectionType: {
      graphqlName: 'type',
      type: 'text',
      values: ['manual', 'automatic'],
      valueDescriptions: {
        manual: 'The products are chosen manually.',
        automatic: 'The collection has all products with one of its tags.',
      },
      writable: 'always',
      default: 'manual',
      description: 'Whether the products are chosen manually, or are all products with one of the tags.',
    },
    productIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: product,
      paged: 'own',
      objectDescription: `The products in the order of \`sortMethod\`, at most the first ${MAX_PRODUCTS}.`,
      maxLength: MAX_PRODUCTS,
      description: `The integer ids of the products in the order of the sort method, at most the first ${MAX_PRODUCTS}. As input, the products of a manual collection in their order. An automatic collection stores the list for when it becomes manual.`,
    },
    tagIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: productTag,
      distinct: true,
      maxLength: 50,
      description: 'The integer ids of the tags that select the products of an automatic collection.',
    },
    sortMethod: {
      type: 'text',
      values: [
        ...(['manually', 'added_at_asc', 'added_at_desc', 'created_at_asc', 'created_at_desc'] as const),
        ...(['name_asc', 'name_desc', 'price_asc', 'price_desc'] as const),
      ],
      valueDescriptions: {
        manually: 'In the order in which the shop has arranged the products.',
        added_at_asc: 'By the time of addition, the oldest first.',
        added_at_desc: 'By the time of addition, the newest first.',
        created_at_asc: 'By the creation of the product, the oldest first.',
        created_at_desc: 'By the creation of the product, the newest first.',
        name_asc: 'By name, from A to Z.',
        name_desc: 'By name, from Z to A.',
        price_asc: 'By the lowest price, the cheapest first.',
        price_desc: 'By the lowest price, the most expensive first.',
      },
      writable: 'always',
      default: 'manually',
      description:
        'The order of the products: manual, or by the time of addition, the time of creation, the name, or the lowest visible price that is not archived. Products of an automatic collection count as added when they were created.',
    },
    ...ARCHIVED,
    archived: WRITABLE_ARCHIVED,
    imageId: { ...IMAGE_ID, description: 'The integer id of the picture of the collection.' },
    visibleInStore: {
      graphqlName: 'isVisibleInStore',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether the store shows the collection.',
    },
    currentPath: {
      graphql: false,
      type: 'text',
      nullable: true,
      description: 'The path of the collection’s page. Always null: the gateway serves none.',
    },
    seoTitle: { ...TEXT, description: 'The title for search engines.' },
    seoDescription: { ...TEXT, description: 'The description for search engines.' },
    seoIndexable: {
      graphql: false,
      type: 'text',
      nullable: true,
      description: 'Whether search engines may list the collection. Always null.',
    },
    socialImageId: {
      ...IMAGE_ID,
      description: 'The integer id of the image for shared links to the collection.',
    },
    createdAt: { type: 'timestamp', description: 'When the collection was created.' },
    updatedAt: { type: 'timestamp', description: 'When the collection was last changed.' },
  },
  topic: 'products/collection',
  subjectType: 'Products::Collection',
  lists: [
    {
      under: product,
      by: 'product',
      plural: 'collections',
      indexes: {},
      description: 'The collections that have the product, chosen by hand or by a tag.',
    },
  ],
  filters: {
    id: { unique: true },
    visibleInStore: { index: 'product_collections_visible_in_store_id_idx' },
    archived: { index: 'product_collections_workspace_id_archived_id_idx' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
});

export interface CollectionRow extends Row<typeof collection> {}
