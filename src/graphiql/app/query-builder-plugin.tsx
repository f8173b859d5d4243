// The plugin "Build a query": the fields of the schema, to tick. Its code is loaded when it is opened.
import type { GraphiQLPlugin } from '@graphiql/react';
import { later } from './later.tsx';

export const QUERY_BUILDER_PLUGIN: GraphiQLPlugin = {
  title: 'Build a query',
  icon: () => (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <rect x="3" y="4" width="6" height="6" rx="1.5" />
      <path d="m4.5 7 1.2 1.2L8 5.8M12 7h9M6 10v8h3" />
      <rect x="9" y="15" width="6" height="6" rx="1.5" />
      <path d="M18 18h3" />
    </svg>
  ),
  content: later('The query builder', () =>
    import('./query-builder.tsx').then(({ QueryBuilder }) => QueryBuilder),
  ),
};
