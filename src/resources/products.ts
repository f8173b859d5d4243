// The product: what a workspace sells, with the properties in which its variants differ.
import { funnel } from './funnels.ts';
import { image } from './images.ts';
import { productTag } from './product-tags.ts';
import { ARCHIVED, describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { workspace } from './workspaces.ts';

/** The most of each that one product can have. */
export const MAX_VARIANTS = 100;
export const MAX_PROPERTIES = 10;
export const MAX_PRODUCT_TAGS = 50;
export const MAX_IMAGES = 50;

const TEXT = { type: 'text', nullable: true, writable: 'always', maxLength: 2_000 } as const;

/** Ids that set the order of objects that the product has. They neither add nor remove objects. */
const ORDER = { type: 'int8[]', writable: 'always', default: [], distinct: true, maxLength: 2_500 } as const;

/** References to the variants and prices. Their descriptions import this file, so it cannot import them. */
export const VARIANT = { type: 'Variant', title: 'Variant', table: 'product_variants' } as const;
export const PRICE = { type: 'Price', title: 'Price', table: 'product_prices' } as const;

const VARIANT_PROPERTY = {
  type: 'VariantProperty',
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
      description: 'What it is called, such as `Size`. The product has no other with the same name.',
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
  description: `What a workspace sells, in one variant or more. Its default variant is created with it. An archived product cannot be ordered.`,
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 255,
      description: 'What it is called. Its default variant is called the same at first.',
    },
    currentPath: { ...TEXT, description: 'The path of its page in the store.' },
    ...ARCHIVED,
    visibleInStore: {
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether the store shows it.',
    },
    visibleInCustomerCenter: {
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether the customer center shows it.',
    },
    imageId: {
      type: 'int8',
      restAsText: true,
      nullable: true,
      description: 'The integer id of its main image, the first of `image_ids`; null where it has none.',
    },
    imageIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: image,
      maxLength: MAX_IMAGES,
      description: 'The integer ids of its images, the main one first.',
    },
    seoTitle: { ...TEXT, description: 'The title that search engines are given.' },
    seoDescription: { ...TEXT, description: 'The description that search engines are given.' },
    seoImageId: {
      type: 'int8',
      refers: image,
      restAsText: true,
      nullable: true,
      writable: 'always',
      description: 'The integer id of the image that is shown where its page is shared.',
    },
    commissionable: {
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether affiliates get a commission for it.',
    },
    defaultVariantId: {
      type: 'int8',
      refers: VARIANT,
      description: 'The integer id of its default variant.',
    },
    variantIds: {
      ...ORDER,
      idsOf: VARIANT,
      description:
        'The integer ids of all its variants: those first that were given, in their order, then the oldest first.',
    },
    priceIds: {
      ...ORDER,
      idsOf: PRICE,
      description:
        'The integer ids of the prices of all its variants: those first that were given, in their order, then the oldest first.',
    },
    tagIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: productTag,
      distinct: true,
      maxLength: MAX_PRODUCT_TAGS,
      description: 'The integer ids of its tags.',
    },
    redirectFunnelId: {
      type: 'int8',
      restAsText: true,
      nullable: true,
      writable: 'always',
      refers: funnel,
      description: 'The integer id of the funnel that visitors of its page are sent to.',
    },
    cancellationFunnelUrl: {
      ...TEXT,
      description: 'Where customers are sent who want to cancel a subscription to it.',
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
      description: 'The properties in which its variants differ, the oldest first.',
    },
  },
  topic: 'product',
  events: ['created', 'updated'],
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
  },
  refinedBy: 'ProductsFilter',
  sorts: ['updatedAt'],
});

export const variantProperty = describe({
  ...VARIANT_PROPERTY,
  number: 22n,
  parent: product,
  scope: 'store',
  most: MAX_PROPERTIES,
  description: 'A property in which the variants of a product differ, such as the size.',
});

export interface ProductRow extends Row<typeof product> {}
