// Configures Pothos; defines no type of ours. Fields are non-null unless they say otherwise: columns are, whatever has
// to be loaded is not, so that a missing scope or a failure costs that field alone.
import './field-options.ts';
import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import type { GraphContext } from './context.ts';

export const builder = new SchemaBuilder<{
  Context: GraphContext;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    BigInt: { Input: bigint; Output: bigint };
    DateTime: { Input: Date; Output: Date | string };
    JSON: { Input: unknown; Output: unknown };
  };
}>({
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    clientMutationId: 'optional',
    clientMutationIdInputOptions: {
      description:
        'Any text of the client’s own, of at most 256 characters. It comes back unchanged in the payload.',
    },
    clientMutationIdFieldOptions: {
      description: 'The text that the client sent along with the input, or null when it sent none.',
    },
    mutationInputArgOptions: { description: 'All that the mutation needs to know.' },
    nodeTypeOptions: {
      description: 'An object that can be fetched again by its global id, through the field `node`.',
    },
    idFieldOptions: {
      description: 'The global id of the object. It is opaque, and unique among all types.',
    },
    // nodes.ts defines both, over our own loaders.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
  },
});

/** What our builder's types are called where a helper has to name them. */
export type Types = typeof builder.$inferSchemaTypes;

builder.queryType({
  description: 'Everything that can be read. Data needs an API key or an access token, the schema does not.',
});
builder.mutationType({ description: 'Everything that can be changed. Mutations are sent by POST.' });
