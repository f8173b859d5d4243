// The location group of a shipping profile.
import { IDS } from './description/common-fields.ts';
import { describe } from './description/resource.ts';
import { fulfillmentLocation } from './fulfillment-locations.ts';
import { shippingProfile } from './shipping-profiles.ts';

export const shippingLocationGroup = describe({
  type: 'ShippingLocationGroup',
  title: 'Shipping location group',
  table: 'shipping_location_groups',
  number: 38n,
  parent: shippingProfile,
  parentKey: 'profileId',
  plural: 'locationGroups',
  path: 'location_groups',
  members: 'shipping/location_groups',
  scope: 'store',
  topic: 'shipping/location_group',
  subjectType: 'Shipping::LocationGroup',
  description:
    'The locations from which a shipping profile ships. Each profile has one group, which is created with it.',
  fields: {
    ...IDS,
    profileId: { type: 'int8', description: 'The integer id of its shipping profile.' },
    name: { type: 'text', description: 'The name of the location group.' },
    fulfillmentsLocationIds: {
      graphqlName: 'fulfillmentLocationIds',
      type: 'int8[]',
      refers: fulfillmentLocation,
      paged: true,
      description: 'The integer ids of the locations: all locations of the workspace that are not archived.',
    },
    createdAt: { type: 'timestamp', description: 'When the location group was created.' },
    updatedAt: { type: 'timestamp', description: 'When the location group was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});
