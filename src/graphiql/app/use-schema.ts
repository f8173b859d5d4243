import { buildSchema, type GraphQLSchema } from 'graphql';
import { useEffect, useState } from 'react';

/**
 * The schema from `/schema.graphql`, which says the scopes of fields; introspection does not.
 * @returns null while it is loaded; undefined if it cannot be: GraphiQL then introspects, and says itself what is wrong
 */
export function useSchema(): GraphQLSchema | null | undefined {
  const [schema, setSchema] = useState<GraphQLSchema | null | undefined>(null);
  useEffect(() => {
    const leaving = new AbortController();
    loadSchema(leaving.signal).then(setSchema, () => {
      if (!leaving.signal.aborted) setSchema(undefined);
    });
    return () => leaving.abort();
  }, []);
  return schema;
}

async function loadSchema(signal: AbortSignal): Promise<GraphQLSchema> {
  const response = await fetch('/schema.graphql', { signal });
  if (!response.ok) throw new Error(`/schema.graphql: ${response.status}`);
  return buildSchema(await response.text(), { assumeValid: true });
}
