import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';

/** Leads back to the editors where a panel has their place: any panel on a phone, and the map of the schema. */
export function BackToQuery() {
  const isOpen = useGraphiQL(({ visiblePlugin }) => visiblePlugin !== null && visiblePlugin !== undefined);
  const { setVisiblePlugin } = useGraphiQLActions();
  if (!isOpen) return null;
  return (
    <button type="button" className="back-to-query" onClick={() => setVisiblePlugin(null)}>
      Back to the query
    </button>
  );
}
