// The shipping rate: the cost of shipping to a zone.
import { IDS } from './description/common-fields.ts';
import { describe } from './description/resource.ts';
import { shippingRateName } from './shipping-rate-names.ts';
import { shippingZone } from './shipping-zones.ts';

export const shippingRate = describe({
  type: 'ShippingRate',
  title: 'Shipping rate',
  table: 'shipping_rates',
  number: 40n,
  parent: shippingZone,
  parentKey: 'zoneId',
  plural: 'rates',
  path: 'rates',
  members: 'shipping/rates',
  wrapper: 'shipping_rate',
  scope: 'store',
  topic: 'shipping/rate',
  subjectType: 'Shipping::Rate',
  verbs: ['create', 'update', 'remove'],
  description: 'The cost of shipping to a zone by one shipping method.',
  fields: {
    ...IDS,
    zoneId: { type: 'int8', description: 'The integer id of its zone.' },
    ratesNameId: {
      graphqlName: 'rateNameId',
      type: 'int8',
      refers: shippingRateName,
      writable: 'always',
      required: true,
      description: 'The integer id of its rate name.',
      objectDescription: 'The rate name: the shipping method.',
    },
    description: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 2_000,
      description: 'The description of the rate for buyers.',
    },
    price: {
      type: 'decimal',
      currency: 'priceCurrency',
      writable: 'always',
      required: true,
      description: 'The cost of shipping, at least 0.',
    },
    priceCurrency: {
      type: 'currency',
      writable: 'always',
      default: 'USD',
      description: 'The currency of the price (ISO 4217).',
    },
    providerName: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'The name of the carrier.',
    },
    liveRatesProvider: {
      type: 'text',
      values: ['Shippo'],
      valueDescriptions: { Shippo: 'The rates come from the service Shippo.' },
      nullable: true,
      writable: 'always',
      description: 'The service for live rates, if any. The gateway does not request live rates.',
    },
    createdAt: { type: 'timestamp', description: 'When the rate was created.' },
    updatedAt: { type: 'timestamp', description: 'When the rate was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt'],
  scannedSorts: ['createdAt'],
});
