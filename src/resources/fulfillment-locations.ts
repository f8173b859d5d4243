// The fulfillment location: a place from which goods are shipped.
import { ARCHIVED, describe, type Fields, IDS, NAME, OF_WORKSPACE, type Row } from './resource.ts';
import { workspace } from './workspaces.ts';

const LINE = { type: 'text', nullable: true, maxLength: 255 } as const;

/** A postal address. */
export const address = {
  addressOne: { ...LINE, description: 'Street and number.' },
  addressTwo: { ...LINE, description: 'What follows them, such as a floor.' },
  city: { ...LINE, description: 'The city or town.' },
  region: { ...LINE, description: 'The state or region.' },
  postalCode: { ...LINE, description: 'The postal code.' },
  country: { ...LINE, description: 'The country.' },
} as const satisfies Fields;

export const fulfillmentLocation = describe({
  type: 'FulfillmentLocation',
  title: 'Fulfillment location',
  table: 'fulfillment_locations',
  number: 33n,
  parent: workspace,
  plural: 'fulfillmentLocations',
  path: 'fulfillments/locations',
  wrapper: 'fulfillments_location',
  scope: 'store',
  topic: 'fulfillments/location',
  subjectType: 'Fulfillments::Location',
  verbs: ['create', 'update', 'remove'],
  most: 250,
  description:
    'A place that goods are shipped from. One that fulfillments name cannot be deleted, but it can be archived.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    addressName: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 255,
      description: 'Who is named in its address.',
    },
    address: {
      type: 'jsonb',
      object: address,
      writable: 'always',
      default: {},
      description: 'Where it is.',
    },
    emailAddress: {
      type: 'text',
      format: 'email',
      writable: 'always',
      required: true,
      maxLength: 320,
      description: 'The e-mail address of those who work there.',
    },
    phoneNumber: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'The phone number there.',
    },
    externalApp: {
      type: 'bool',
      nullable: true,
      writable: 'always',
      description: 'Whether another service ships from there.',
    },
    archived: { ...ARCHIVED.archived, writable: 'always', default: false },
    archivedAt: ARCHIVED.archivedAt,
    sortOrder: {
      type: 'int4',
      nullable: true,
      writable: 'always',
      description: 'Its place among the locations of the workspace, where that matters.',
    },
    createdAt: { type: 'timestamp', description: 'When the location was created.' },
    updatedAt: { type: 'timestamp', description: 'When the location was last changed.' },
  },
  sorts: ['updatedAt'],
});

export interface FulfillmentLocationRow extends Row<typeof fulfillmentLocation> {}
