// Configures Pothos; defines no object type. Fields are non-null by default. A field that loads data is declared nullable, so that a
// missing scope or a failure makes only that field null, not its parent.
import './field-options.ts';
import SchemaBuilder from '@pothos/core';
import RelayPlugin from '@pothos/plugin-relay';
import type { GraphContext } from './context.ts';

/** The description of `id`. What a global id is says the scalar ID. */
export const GLOBAL_ID = 'The global id.';

export const builder = new SchemaBuilder<{
  Context: GraphContext;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    BigInt: { Input: bigint; Output: bigint };
    DateTime: { Input: string; Output: Date | string };
    Decimal: { Input: string; Output: string };
    Date: { Input: string; Output: string };
    CurrencyCode: { Input: string; Output: string };
    JSON: { Input: unknown; Output: unknown };
  };
}>({
  plugins: [RelayPlugin],
  defaultFieldNullability: false,
  relay: {
    clientMutationId: 'omit',
    mutationInputArgOptions: { description: 'The input.' },
    nodeTypeOptions: {
      description: 'An object that can be fetched again by its global id, through the field `node`.',
    },
    idFieldOptions: { description: GLOBAL_ID },
    // nodes.ts defines these fields, with batched loading.
    nodeQueryOptions: false,
    nodesQueryOptions: false,
  },
});

/** The builder's schema types, for the signatures of helpers. */
export type Types = typeof builder.$inferSchemaTypes;

/** Casts the result of a resolver whose type is a type parameter: Pothos cannot infer that it is not a list. */
export function rowOf<Row>(row: Row | null | Promise<Row | null>): never {
  return row as never;
}

const defined = new Map<string, unknown>();

/** Defines a type at its first use and returns the same one afterwards, for types that several fields share. */
export function defineOnce<Type>(name: string, define: () => Type): Type {
  if (!defined.has(name)) defined.set(name, define());
  return defined.get(name) as Type;
}

builder.queryType({
  description:
    'All queries. Data needs an API key or an access token, but the schema does not. An error has `extensions` with its `code` and the `requestId`. If arguments are invalid, `field` names the first one, and `errors` has a `field` and a `message` for each.',
});
builder.mutationType({
  description:
    'All mutations. They must be sent by POST. `idempotencyKey` makes retries safe: for 24 hours, the same input with the same key is not executed again, but gets the result of the first request. A key is 1 to 255 visible ASCII characters. A caller with the scope of the mutation alone may select only the ids of what the payload has; other fields need the scope to read it.',
});
