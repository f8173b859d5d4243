// The variant of a product: the thing that customers buy.
import { fulfillmentLocation } from './fulfillment-locations.ts';
import { image } from './images.ts';
import { MAX_IMAGES, MAX_PROPERTIES, MAX_VARIANTS, product, VARIANT, variantProperty } from './products.ts';
import { ARCHIVED, describe, IDS, NAME, type Row } from './resource.ts';

const TEXT = { type: 'text', nullable: true, writable: 'always', maxLength: 255 } as const;
const FLAG = { type: 'bool', writable: 'always' } as const;
const MEASURE = { type: 'number', nullable: true, writable: 'always' } as const;

/** A list of ids that is always empty. */
const NONE = { type: 'int8[]' } as const;

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
  description: `One form of a product that can be bought, such as a size. A product has at most ${MAX_VARIANTS}.`,
  fields: {
    ...IDS,
    productId: { type: 'int8', description: 'The integer id of its product.' },
    name: NAME,
    description: { ...TEXT, maxLength: 20_000, description: 'What a buyer should know of it.' },
    sku: { ...TEXT, description: 'The stock-keeping unit.' },
    productType: {
      type: 'text',
      writable: 'always',
      default: 'physical',
      maxLength: 50,
      description:
        'What kind of thing it is, such as `physical` or `digital`; the variant that is made with a product is `digital`.',
    },
    propertiesValueIds: { ...NONE, description: 'Values have no ids here: always empty.' },
    propertiesValues: {
      type: 'jsonb',
      itemType: 'VariantPropertyValue',
      items: {
        propertyId: {
          type: 'int8',
          idsOf: variantProperty,
          required: true,
          description: 'The integer id of a variant property of its product.',
        },
        value: { type: 'text', required: true, maxLength: 255, description: 'Its value, such as `M`.' },
      },
      writable: 'always',
      default: [],
      maxLength: MAX_PROPERTIES,
      description: 'What it is in the properties of its product, each at most once.',
    },
    isDefault: {
      type: 'bool',
      restName: 'default',
      description: 'Whether it is the default variant of its product. There is exactly one.',
    },
    outOfStockSales: {
      ...FLAG,
      default: false,
      restAsText: true,
      description: 'Whether it can be ordered although too few are in stock.',
    },
    weight: { ...MEASURE, description: 'What it weighs, in `weight_unit`.' },
    weightUnit: {
      type: 'text',
      writable: 'always',
      default: 'kg',
      maxLength: 20,
      description: 'The unit of its weight.',
    },
    height: { ...MEASURE, description: 'Its height, in `dimensions_unit`.' },
    width: { ...MEASURE, description: 'Its width, in `dimensions_unit`.' },
    length: { ...MEASURE, description: 'Its length, in `dimensions_unit`.' },
    dimensionsUnit: { ...TEXT, maxLength: 20, description: 'The unit of its height, width and length.' },
    quantity: {
      type: 'count',
      nullable: true,
      writable: 'always',
      description:
        'How many are in stock, never below 0; null where that is not known. Orders take from it while `track_quantity` is true.',
    },
    trackQuantity: {
      ...FLAG,
      default: false,
      description: 'Whether orders take from its quantity, and are refused where too few are left.',
    },
    tagIds: { ...NONE, description: 'Tags stand on products, not on variants: always empty.' },
    taxCategoryId: { ...TEXT, description: 'The category of its taxes, as the tax service calls it.' },
    assetIds: { ...NONE, description: 'Variants have no files here: always empty.' },
    taxable: { ...TEXT, description: 'Whether it is taxed, as text.' },
    archived: { ...ARCHIVED.archived, writable: 'always' },
    archivedAt: ARCHIVED.archivedAt,
    visible: { ...FLAG, default: true, description: 'Whether it is offered.' },
    priceIds: { type: 'int8[]', description: 'The integer ids of its prices, the oldest first.' },
    fulfillmentRequired: {
      ...FLAG,
      default: true,
      description: 'Whether it has to be sent to whoever buys it.',
    },
    countryOfManufactureId: { ...TEXT, description: 'The country that it was made in.' },
    imageIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: image,
      maxLength: MAX_IMAGES,
      description: 'The integer ids of its images, the main one first.',
    },
    fulfillmentsLocationIds: {
      type: 'int8[]',
      writable: 'always',
      default: [],
      refers: fulfillmentLocation,
      maxLength: 50,
      description: 'The integer ids of the locations that it is sent from.',
      objectDescription: 'The locations that it is sent from.',
    },
    createdByPlatformApplication: {
      type: 'json',
      nullable: true,
      object: {
        publicId: { type: 'text', description: 'Its public id.' },
        trustedSkus: { type: 'text[]', description: 'The stock-keeping units that it is trusted with.' },
      },
      description: 'The platform application that created it: always null.',
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
  sorts: ['updatedAt'],
});

export interface VariantRow extends Row<typeof variant> {}
