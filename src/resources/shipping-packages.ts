// The shipping package: a box or envelope for goods.
import { IDS, NAME, OF_WORKSPACE } from './description/common-fields.ts';
import { describe } from './description/resource.ts';
import { workspace } from './workspaces.ts';

/** A length in the package's unit. */
const LENGTH = { type: 'number', writable: 'always', required: true, mustBe: 'more than 0' } as const;

export const shippingPackage = describe({
  type: 'ShippingPackage',
  title: 'Shipping package',
  table: 'shipping_packages',
  number: 36n,
  parent: workspace,
  plural: 'shippingPackages',
  path: 'shipping/packages',
  wrapper: 'shipping_package',
  scope: 'store',
  topic: 'shipping/package',
  subjectType: 'Shipping::Package',
  verbs: ['create', 'update', 'remove'],
  description: 'A package for goods, such as a box, with its size.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    packageType: {
      graphqlName: 'type',
      type: 'text',
      values: ['box', 'envelope', 'soft_package'],
      valueDescriptions: {
        box: 'A box with rigid walls.',
        envelope: 'An envelope for flat goods.',
        soft_package: 'A soft package, such as a bag.',
      },
      writable: 'always',
      required: true,
      description: 'The kind of package.',
    },
    carrier: {
      type: 'text',
      values: ['fedex', 'ups', 'usps'],
      valueDescriptions: {
        fedex: 'The carrier is FedEx.',
        ups: 'The carrier is UPS (United Parcel Service).',
        usps: 'The carrier is USPS (United States Postal Service).',
      },
      nullable: true,
      writable: 'always',
      description: 'The carrier, if the package is one of a carrier’s own.',
    },
    distanceUnit: {
      type: 'text',
      values: ['cm', 'ft', 'in', 'm', 'mm'],
      valueDescriptions: {
        cm: 'The unit is the centimetre.',
        ft: 'The unit is the foot.',
        in: 'The unit is the inch.',
        m: 'The unit is the metre.',
        mm: 'The unit is the millimetre.',
      },
      writable: 'always',
      required: true,
      description: 'The unit of length, width and height.',
    },
    length: { ...LENGTH, description: 'The length, more than 0.' },
    width: { ...LENGTH, description: 'The width, more than 0.' },
    height: { ...LENGTH, description: 'The height, more than 0.' },
    weight: {
      type: 'number',
      nullable: true,
      writable: 'always',
      description: 'The weight, at least 0.',
    },
    weightUnit: {
      type: 'text',
      values: ['g', 'kg', 'lb', 'oz'],
      valueDescriptions: {
        g: 'The unit is the gram.',
        kg: 'The unit is the kilogram.',
        lb: 'The unit is the pound.',
        oz: 'The unit is the ounce.',
      },
      nullable: true,
      writable: 'always',
      description: 'The unit of both weights.',
    },
    emptyWeight: {
      type: 'decimal',
      nullable: true,
      writable: 'always',
      description: 'The weight of the empty package, at least 0.',
    },
    defaultPackage: {
      graphqlName: 'isDefault',
      type: 'bool',
      writable: 'always',
      default: false,
      description:
        'Whether this is the default package. A workspace has at most one: making another package the default resets this one.',
    },
    token: {
      graphql: false,
      type: 'text',
      nullable: true,
      description: 'The id of the package at a carrier service. Always null, because the gateway uses none.',
    },
    createdAt: { type: 'timestamp', description: 'When the package was created.' },
    updatedAt: { type: 'timestamp', description: 'When the package was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});
