import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { measuring } from './answers/measured.ts';
import { fetchWithCredentials } from './credentials.ts';

const url = '/graphql';

/** The schema is public. Introspection is sent without the key, so that the docs load even with a wrong key. */
const schemaFetcher = createGraphiQLFetcher({ url, enableIncrementalDelivery: false });

export const fetcher = createGraphiQLFetcher({
  url,
  schemaFetcher,
  enableIncrementalDelivery: false,
  fetch: measuring(fetchWithCredentials),
});
