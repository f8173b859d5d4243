// Adds to fulfillment locations their address.
import { address, fulfillmentLocation } from '../resources/fulfillment-locations.ts';
import { builder } from './builder.ts';
import { nodeOf } from './nouns.ts';
import { objectFields, objectType } from './resource-fields.ts';

const Address = objectType('Address', 'A postal address.', address);

builder.objectFields(nodeOf(fulfillmentLocation).ref, (t) =>
  objectFields(t, fulfillmentLocation.fields, { address: Address }),
);
