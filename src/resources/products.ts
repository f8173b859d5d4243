// The product: what a workspace sells, with the properties in which its variants differ.
import { course } from './courses.ts';
import { ARCHIVED, IDS, OF_WORKSPACE, UNCHECKED_URL } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { funnel } from './funnels.ts';
import { image } from './images.ts';
import { productTag } from './product-tags.ts';
import { workspace } from './workspaces.ts';

/** The most of each that one product can have. */
export const MAX_VARIANTS = 100;
export const MAX_PROPERTIES = 10;
export const MAX_PRODUCT_TAGS = 50;
export const MAX_IMAGES = 50;
export const MAX_COURSES = 50;

const TEXT = { type: 'text', nullable: true, writable: 'always', maxLength: 2_000 } as const;

/** Ids that set the order of objects that the product has. They neither add nor remove objects. */
const ORDER = { type: 'int8[]', writable: 'always', default: [], distinct: true, maxLength: 2_500 } as const;

/** References to the variants and prices. Their descriptions import this file, so it cannot import them. */
export const VARIANT = {
  type: 'Variant',
  graphqlName: 'ProductVariant',
  title: 'Variant',
  table: 'product_variants',
} as const;
export const PRICE = {
  type: 'Price',
  graphqlName: 'ProductPrice',
  title: 'Price',
  table: 'product_prices',
} as const;

const VARIANT_PROPERTY = {
  type: 'VariantProperty',
  graphqlName: 'ProductVariantProperty',
  title: 'Variant property',
  table: 'variant_properties',
  fields: {
    id: IDS.id,
    publicId: { ...IDS.publicId, notInParent: true },
    productId: { type: 'int8', notInParent: true, description: 'The integer id of its product.' },
    name: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 100,
      description: 'The name of the property, such as `Size`, unique in its product.',
    },
    createdAt: { type: 'timestamp', notInParent: true, description: 'When the property was created.' },
    updatedAt: { type: 'timestamp', notInParent: true, description: 'When the property was last changed.' },
  },
} as const;

export const product = describe({
  type: 'Product',
  title: 'Product',
  table: 'products',
  number: 17n,
  parent: workspace,
  plural: 'products',
  path: 'products',
  scope: 'store',
  verbs: ['create', 'update', 'archive'],
  wrapper: 'product',
  description: `A product of a workspace, with one or more variants. The default variant is created with the product. An archived product cannot be ordered.`,
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 255,
      description: 'The name of the product.',
      rule: 'The default variant gets the same name at first.',
    },
    currentPath: { ...TEXT, description: 'The path of the product’s page in the store.' },
    ...ARCHIVED,
    visibleInStore: {
      graphqlName: 'isVisibleInStore',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether the store shows the product.',
    },
    visibleInCustomerCenter: {
      graphqlName: 'isVisibleInCustomerCenter',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether the customer center shows the product.',
    },
    imageId: {
      graphql: false,
      type: 'int8',
      restAsText: true,
      nullable: true,
      description: 'The integer id of the main image, the first of `image_ids`. Null if there is none.',
    },
    imageIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: image,
      maxLength: MAX_IMAGES,
      description: 'The integer ids of the images, the main one first.',
    },
    seoTitle: { ...TEXT, description: 'The title for search engines.' },
    seoDescription: { ...TEXT, description: 'The description for search engines.' },
    seoImageId: {
      type: 'int8',
      refers: image,
      restAsText: true,
      nullable: true,
      writable: 'always',
      description: 'The integer id of the image for shared links to the product.',
    },
    commissionable: {
      graphqlName: 'isCommissionable',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether affiliates get a commission for sales of the product.',
    },
    defaultVariantId: {
      type: 'int8',
      refers: VARIANT,
      description: 'The integer id of the default variant.',
    },
    variantIds: {
      ...ORDER,
      graphql: 'change',
      idsOf: VARIANT,
      description:
        'The integer ids of all variants. As input, those that come first, in their order; the others follow, the oldest first.',
    },
    priceIds: {
      ...ORDER,
      graphql: 'change',
      idsOf: PRICE,
      description:
        'The integer ids of the prices of all variants. As input, those that come first, in their order; the others follow, the oldest first.',
    },
    tagIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: productTag,
      distinct: true,
      maxLength: MAX_PRODUCT_TAGS,
      objectDescription: 'The tags of the product.',
      description: 'The integer ids of the tags.',
    },
    redirectFunnelId: {
      type: 'int8',
      restAsText: true,
      nullable: true,
      writable: 'always',
      refers: funnel,
      description: 'The integer id of the funnel to which visitors of the product’s page are redirected.',
    },
    cancellationFunnelUrl: {
      ...TEXT,
      description: `The URL to which customers are sent to cancel a subscription to the product. ${UNCHECKED_URL}`,
    },
    createdAt: { type: 'timestamp', description: 'When the product was created.' },
    updatedAt: { type: 'timestamp', description: 'When the product was last changed.' },
    variantProperties: {
      type: 'json',
      children: VARIANT_PROPERTY,
      items: VARIANT_PROPERTY.fields,
      writable: 'always',
      changes: ['create', 'update', 'remove'],
      maxLength: MAX_PROPERTIES,
      description: 'The properties in which the variants differ, the oldest first.',
    },
    courseIds: {
      type: 'int8[]',
      gatewayOnly: true,
      writable: 'always',
      default: [],
      refers: course,
      distinct: true,
      maxLength: MAX_COURSES,
      objectDescription: 'The courses in which a buyer is enrolled when the order is paid.',
      description:
        'The integer ids of the courses in which a buyer of the product is enrolled when the order is paid.',
    },
  },
  topic: 'product',
  events: ['created', 'updated'],
  lists: [
    {
      under: productTag,
      by: 'tagIds',
      plural: 'products',
      indexes: {},
      description: 'The products with the tag.',
    },
  ],
  filters: {
    id: { unique: true },
    sku: {
      of: { type: 'text' },
      description: 'The stock-keeping unit of one of its variants.',
      index: 'product_variants_sku_product_id_idx',
    },
    name: { index: 'products_workspace_id_name_id_idx', untimed: true },
    visibleInStore: { index: 'products_workspace_id_visible_in_store_id_idx' },
    visibleInCustomerCenter: { index: 'products_visible_in_customer_center_id_idx' },
    archived: { index: 'products_workspace_id_archived_id_idx' },
    tagIds: { index: 'tagged_products_tag_id_product_id_idx', graphqlOnly: true },
    collectionIds: {
      of: { type: 'int8', idsOf: { type: 'Collection', title: 'Collection', table: 'product_collections' } },
      description: 'The integer ids of collections that have the product, chosen manually or by a tag.',
      index: 'product_collections_pkey',
      graphqlOnly: true,
    },
  },
  search: ['name', 'sku'],
  refinedBy: 'ProductsFilter',
  sorts: ['createdAt', 'updatedAt', 'name'],
});

export const variantProperty = describe({
  ...VARIANT_PROPERTY,
  hasLookUp: false,
  number: 22n,
  parent: product,
  scope: 'store',
  most: MAX_PROPERTIES,
  description: 'A property in which the variants of a product differ, such as the size.',
});

export interface ProductRow extends Row<typeof product> {}
