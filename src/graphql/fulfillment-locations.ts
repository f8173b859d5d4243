// Adds to fulfillment locations their address.
import { fulfillmentLocation } from '../resources/fulfillment-locations.ts';
import { addressType } from './addresses.ts';
import { builder } from './builder.ts';
import { nodeOf } from './nouns.ts';

builder.objectField(nodeOf(fulfillmentLocation).ref, 'address', (t) =>
  t.field({
    type: addressType(),
    description: 'The address of the location, with the name of its recipient.',
    columns: ['address', 'addressName'],
    resolve: ({ address: { addressOne, addressTwo, ...address }, addressName }) => ({
      ...address,
      ...{ name: addressName, streetOne: addressOne, streetTwo: addressTwo },
    }),
  }),
);
