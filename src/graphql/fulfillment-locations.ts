// Adds to fulfillment locations their address.
import { fulfillmentLocation, LOCATION_ADDRESS } from '../resources/fulfillment-locations.ts';
import { addressType } from './addresses.ts';
import { builder } from './builder.ts';
import { nodeOf } from './nouns.ts';

builder.objectField(nodeOf(fulfillmentLocation).ref, 'address', (t) =>
  t.field({
    type: addressType(),
    description: LOCATION_ADDRESS.description,
    columns: ['address', 'addressName'],
    resolve: ({ address: { addressOne, addressTwo, ...address }, addressName }) => ({
      ...address,
      ...{ name: addressName, streetOne: addressOne, streetTwo: addressTwo },
    }),
  }),
);
