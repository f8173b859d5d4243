// The shipping package: a box or envelope for goods.
import { describe, IDS, NAME, OF_WORKSPACE } from './resource.ts';
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
  description: 'Something that goods are packed in, such as a box, with its size.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    packageType: {
      type: 'text',
      values: ['box', 'envelope', 'soft_package'],
      writable: 'always',
      required: true,
      description: 'What kind it is.',
    },
    carrier: {
      type: 'text',
      values: ['fedex', 'ups', 'usps'],
      nullable: true,
      writable: 'always',
      description: 'The carrier whose package it is, if it is one of a carrier’s own.',
    },
    distanceUnit: {
      type: 'text',
      values: ['cm', 'ft', 'in', 'm', 'mm'],
      writable: 'always',
      required: true,
      description: 'The unit of its length, width and height.',
    },
    length: { ...LENGTH, description: 'Its length: more than 0.' },
    width: { ...LENGTH, description: 'Its width: more than 0.' },
    height: { ...LENGTH, description: 'Its height: more than 0.' },
    weight: {
      type: 'number',
      nullable: true,
      writable: 'always',
      description: 'Its weight: not less than 0.',
    },
    weightUnit: {
      type: 'text',
      values: ['g', 'kg', 'lb', 'oz'],
      nullable: true,
      writable: 'always',
      description: 'The unit of its weights.',
    },
    emptyWeight: {
      type: 'decimal',
      nullable: true,
      writable: 'always',
      description: 'Its weight without goods: not less than 0.',
    },
    defaultPackage: {
      type: 'bool',
      writable: 'always',
      default: false,
      description:
        'Whether it is the one that is used where nothing else is said. A workspace has one at most: where another becomes it, the one before is it no more.',
    },
    token: {
      type: 'text',
      nullable: true,
      description: 'The key of the package at a service for carriers: null, for the gateway asks none.',
    },
    createdAt: { type: 'timestamp', description: 'When the package was created.' },
    updatedAt: { type: 'timestamp', description: 'When the package was last changed.' },
  },
  sorts: ['updatedAt'],
});
