// Loads the GraphQL API. Its libraries and its schema take hundreds of milliseconds, which would delay the first answers of REST. So they
// are loaded after the process has begun to listen and before it reports that it is ready.
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Scope } from '../auth/scopes.ts';
import { memoize } from '../concurrency/memoize.ts';
import type { App } from '../context.ts';
import type { GraphqlHandler } from './handler.ts';

/** Returns the handler, which it loads at the first call. @throws StartupError when a trusted document cannot be executed */
export type LoadGraphql = () => Promise<GraphqlHandler>;

/** The GraphQL API of an App. */
export function graphqlOf(app: App): LoadGraphql {
  return memoize(async () => {
    // In parts, so that other requests are answered in between.
    await import('graphql');
    await nextTick();
    await import('graphql-yoga');
    await nextTick();
    await import('./schema.ts');
    await nextTick();
    const { createGraphqlHandler } = await import('./handler.ts');
    return createGraphqlHandler(app);
  });
}

/** The scopes that the fields of the schema need. */
export async function graphqlScopes(): Promise<readonly Scope[]> {
  const { schemaScopes } = await import('./schema.ts');
  return schemaScopes();
}
