// What fulfillment locations have besides their noun's fields: an address.
import { address, fulfillmentLocation } from '../resources/fulfillment-locations.ts';
import type { RowOf } from '../resources/resource.ts';
import { builder } from './builder.ts';
import { nodeOf } from './nouns.ts';
import { resourceFields } from './resource-fields.ts';

const Address = builder.objectRef<RowOf<typeof address>>('Address').implement({
  description: 'A postal address.',
  fields: (t) => resourceFields(t, address),
});

builder.objectField(nodeOf(fulfillmentLocation).ref, 'address', (t) =>
  t.field({
    type: Address,
    description: fulfillmentLocation.fields.address.description,
    columns: ['address'],
    resolve: (row) => row.address,
  }),
);
