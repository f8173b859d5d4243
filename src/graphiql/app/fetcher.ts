import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { fetchWithCredentials } from './credentials.ts';

const url = '/graphql';

/** The schema is public: introspection goes without the key, so that a wrong key does not take the docs away. */
const schemaFetcher = createGraphiQLFetcher({ url, enableIncrementalDelivery: false });

export const fetcher = createGraphiQLFetcher({
  url,
  schemaFetcher,
  enableIncrementalDelivery: false,
  fetch: fetchWithCredentials,
});
