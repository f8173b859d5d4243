// The fulfillment location: a place from which goods are shipped.
import { ARCHIVED, IDS, NAME, OF_WORKSPACE, WRITABLE_ARCHIVED } from './description/common-fields.ts';
import type { Fields } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { workspace } from './workspaces.ts';

/** The address over GraphQL. */
export const LOCATION_ADDRESS = {
  name: 'address',
  description: 'The address of the location, with the name of its recipient.',
};

const LINE = { type: 'text', nullable: true, maxLength: 255 } as const;

/** A postal address. */
export const address = {
  addressOne: { ...LINE, graphqlName: 'streetOne', description: 'The street and house number.' },
  addressTwo: {
    ...LINE,
    graphqlName: 'streetTwo',
    description: 'The second line of the street address, such as a floor.',
  },
  city: { ...LINE, description: 'The city or town.' },
  region: { ...LINE, description: 'The state or region.' },
  postalCode: { ...LINE, description: 'The postal code.' },
  country: { ...LINE, description: 'The country: any text, such as its name or its code.' },
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
    'A place from which goods are shipped. A location that is used by fulfillments cannot be deleted, but it can be archived.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    addressName: {
      graphql: 'input',
      address: { of: LOCATION_ADDRESS, part: 'name' },
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 255,
      description: 'The name of the recipient in the address.',
    },
    address: {
      type: 'jsonb',
      address: { of: LOCATION_ADDRESS },
      object: address,
      writable: 'always',
      default: {},
      description: 'The address of the location.',
    },
    emailAddress: {
      type: 'text',
      format: 'email',
      writable: 'always',
      required: true,
      maxLength: 320,
      description: 'The e-mail address of the location.',
    },
    phoneNumber: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'The phone number of the location.',
    },
    externalApp: {
      graphqlName: 'isExternal',
      type: 'bool',
      nullable: true,
      writable: 'always',
      description: 'Whether another service ships from the location.',
    },
    archived: { ...WRITABLE_ARCHIVED, default: false },
    archivedAt: ARCHIVED.archivedAt,
    sortOrder: {
      graphqlName: 'position',
      type: 'int4',
      nullable: true,
      writable: 'always',
      description: 'The sort position of the location in the workspace.',
    },
    createdAt: { type: 'timestamp', description: 'When the location was created.' },
    updatedAt: { type: 'timestamp', description: 'When the location was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'name', 'sortOrder'],
});

export interface FulfillmentLocationRow extends Row<typeof fulfillmentLocation> {}
