// The variant of a product: the thing that customers buy.
import { ARCHIVED, IDS, NAME, WRITABLE_ARCHIVED } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { fulfillmentLocation } from './fulfillment-locations.ts';
import { image } from './images.ts';
import { MAX_IMAGES, MAX_PROPERTIES, MAX_VARIANTS, product, VARIANT, variantProperty } from './products.ts';

const TEXT = { type: 'text', nullable: true, writable: 'always', maxLength: 255 } as const;
const FLAG = { type: 'bool', writable: 'always' } as const;
const MEASURE = { type: 'number', nullable: true, writable: 'always' } as const;

/** A list of ids that is always empty. */
const NONE = { type: 'int8[]', graphql: false } as const;

export const variant = describe({
  ...VARIANT,
  number: 18n,
  parent: product,
  plural: 'variants',
  path: 'variants',
  members: 'products/variants',
  scope: 'store',
  verbs: ['create', 'update'],
  most: MAX_VARIANTS,
  wrapper: 'products_variant',
  description: `A version of a product that can be bought, such as a size. A product can have at most ${MAX_VARIANTS} variants.`,
  fields: {
    ...IDS,
    productId: { type: 'int8', description: 'The integer id of its product.' },
    name: NAME,
    description: { ...TEXT, maxLength: 20_000, description: 'The description of the variant for buyers.' },
    sku: { ...TEXT, description: 'The stock-keeping unit.' },
    productType: {
      graphqlName: 'type',
      type: 'text',
      writable: 'always',
      default: 'physical',
      maxLength: 50,
      description:
        'The kind of product: `physical`, `digital`, or any other text. The variant that is created with a product is `digital`.',
    },
    propertiesValueIds: { ...NONE, description: 'Always empty: in this API property values have no ids.' },
    propertiesValues: {
      graphqlName: 'propertyValues',
      type: 'jsonb',
      itemType: 'ProductVariantPropertyValue',
      items: {
        propertyId: {
          type: 'int8',
          idsOf: variantProperty,
          required: true,
          description: 'The integer id of a variant property of its product.',
        },
        value: { type: 'text', required: true, maxLength: 255, description: 'The value, such as `M`.' },
      },
      writable: 'always',
      default: [],
      maxLength: MAX_PROPERTIES,
      description: 'The variant’s values of its product’s properties, each property at most once.',
    },
    isDefault: {
      type: 'bool',
      restName: 'default',
      description: 'Whether this is the default variant of the product. Each product has exactly one.',
    },
    outOfStockSales: {
      graphqlName: 'isSellableOutOfStock',
      ...FLAG,
      default: false,
      restAsText: true,
      description: 'Whether the variant can be ordered when too few are in stock.',
    },
    weight: { ...MEASURE, description: 'The weight, in the unit of weight.' },
    weightUnit: {
      type: 'text',
      writable: 'always',
      default: 'kg',
      maxLength: 20,
      description: 'The unit of the weight: any text, such as `kg`.',
    },
    height: { ...MEASURE, description: 'The height, in the unit of the dimensions.' },
    width: { ...MEASURE, description: 'The width, in the unit of the dimensions.' },
    length: { ...MEASURE, description: 'The length, in the unit of the dimensions.' },
    dimensionsUnit: {
      ...TEXT,
      maxLength: 20,
      description: 'The unit of height, width and length: any text, such as `cm`.',
    },
    quantity: {
      type: 'count',
      nullable: true,
      writable: 'always',
      description:
        'The quantity in stock, never below 0; null if it is not known. Orders reduce it while it is tracked.',
    },
    trackQuantity: {
      graphqlName: 'isQuantityTracked',
      ...FLAG,
      default: false,
      description: 'Whether orders reduce the quantity, and are refused if too few are left.',
    },
    tagIds: { ...NONE, description: 'Always empty: products have tags, but variants do not.' },
    taxCategoryId: {
      ...TEXT,
      graphqlName: 'externalTaxCategoryId',
      description: 'The tax service’s id of the tax category.',
    },
    assetIds: { ...NONE, description: 'Always empty: in this API variants have no files.' },
    taxable: {
      graphqlName: 'isTaxable',
      ...TEXT,
      isBoolean: true,
      description: 'Whether the variant is taxed.',
    },
    archived: WRITABLE_ARCHIVED,
    archivedAt: ARCHIVED.archivedAt,
    visible: {
      graphqlName: 'isVisible',
      ...FLAG,
      default: true,
      description: 'Whether the variant is offered to customers.',
    },
    priceIds: {
      type: 'int8[]',
      graphql: false,
      description: 'The integer ids of the prices, the oldest first.',
    },
    fulfillmentRequired: {
      graphqlName: 'isFulfillmentRequired',
      ...FLAG,
      default: true,
      description: 'Whether the variant has to be shipped to the buyer.',
    },
    countryOfManufactureId: {
      ...TEXT,
      graphqlName: 'countryOfManufacture',
      description: 'The country of manufacture: any text, such as `DE`.',
    },
    imageIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: image,
      maxLength: MAX_IMAGES,
      description: 'The integer ids of the images, the main one first.',
    },
    fulfillmentsLocationIds: {
      graphqlName: 'fulfillmentLocationIds',
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: fulfillmentLocation,
      maxLength: 50,
      description: 'The integer ids of the locations from which the variant is shipped.',
      objectDescription: 'The locations from which the variant is shipped.',
    },
    createdByPlatformApplication: {
      type: 'json',
      nullable: true,
      object: {
        publicId: { type: 'text', description: 'The public id of the application.' },
        trustedSkus: {
          type: 'text[]',
          description: 'The stock-keeping units with which the application is trusted.',
        },
      },
      description: 'The platform application that created the variant. Always null.',
    },
    createdAt: { type: 'timestamp', description: 'When the variant was created.' },
    updatedAt: { type: 'timestamp', description: 'When the variant was last changed.' },
  },
  topic: 'products/variant',
  subjectType: 'Products::Variant',
  events: ['created', 'updated'],
  filters: {
    id: { unique: true },
    // No index of its own: a product has few variants.
    sku: { index: 'product_variants_workspace_id_product_id_id_key' },
    name: { index: 'product_variants_workspace_id_product_id_id_key' },
    visible: { index: 'product_variants_workspace_id_product_id_visible_id_idx' },
    archived: { index: 'product_variants_workspace_id_product_id_archived_id_idx' },
    fulfillmentRequired: { index: 'product_variants_fulfillment_required_id_idx' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
});

export interface VariantRow extends Row<typeof variant> {}
