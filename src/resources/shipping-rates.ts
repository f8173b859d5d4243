// The shipping rate: the cost of shipping to a zone.
import { describe, IDS } from './resource.ts';
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
  description: 'What it costs to ship to a zone in one way.',
  fields: {
    ...IDS,
    zoneId: { type: 'int8', description: 'The integer id of its zone.' },
    ratesNameId: {
      type: 'int8',
      refers: shippingRateName,
      writable: 'always',
      required: true,
      description: 'The integer id of its name.',
      objectDescription: 'Its name: the way of shipping.',
    },
    description: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 2_000,
      description: 'What a buyer should know of it.',
    },
    price: {
      type: 'decimal',
      currency: 'priceCurrency',
      writable: 'always',
      required: true,
      description: 'What it costs: not less than 0.',
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
      description: 'Who ships the goods.',
    },
    liveRatesProvider: {
      type: 'text',
      values: ['Shippo'],
      nullable: true,
      writable: 'always',
      description: 'The service that knows the price of the moment, if one does. The gateway asks none.',
    },
    createdAt: { type: 'timestamp', description: 'When the rate was created.' },
    updatedAt: { type: 'timestamp', description: 'When the rate was last changed.' },
  },
  sorts: ['updatedAt'],
});
