// The shipping zone: the countries and regions to which a location group ships.
import { IDS, NAME } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { shippingLocationGroup } from './shipping-location-groups.ts';

const PLACES = { type: 'text[]', nullable: true, writable: 'always', maxLength: 5_000 } as const;

export const shippingZone = describe({
  type: 'ShippingZone',
  title: 'Shipping zone',
  table: 'shipping_zones',
  number: 39n,
  parent: shippingLocationGroup,
  parentKey: 'locationGroupId',
  plural: 'zones',
  path: 'zones',
  members: 'shipping/zones',
  wrapper: 'shipping_zone',
  scope: 'store',
  topic: 'shipping/zone',
  subjectType: 'Shipping::Zone',
  verbs: ['create', 'update', 'remove'],
  description:
    'Countries and regions to which a location group ships at the same rates. The rates are deleted with the zone.',
  fields: {
    ...IDS,
    locationGroupId: { type: 'int8', description: 'The integer id of its location group.' },
    name: NAME,
    countryIds: {
      graphqlName: 'countries',
      ...PLACES,
      description: 'The countries, as ids or codes that the client chooses, such as `US`.',
      rule: 'Integers become text.',
    },
    regionIds: {
      graphqlName: 'regions',
      ...PLACES,
      description: 'The regions, as ids or codes that the client chooses, such as `US-CA`.',
      rule: 'Integers become text.',
    },
    includesRestOfWorld: {
      graphqlName: 'hasRestOfWorld',
      type: 'bool',
      writable: 'always',
      default: false,
      description:
        'Whether the zone includes all countries that no other zone has. At most one zone of a location group does.',
    },
    addressFilterId: {
      graphqlName: 'externalAddressFilterId',
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'The client’s own id of an address filter.',
    },
    createdAt: { type: 'timestamp', description: 'When the zone was created.' },
    updatedAt: { type: 'timestamp', description: 'When the zone was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});

export interface ShippingZoneRow extends Row<typeof shippingZone> {}
