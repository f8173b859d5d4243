// The plugin "Schema": a map of the types. Its code is loaded when it is opened.
import type { GraphiQLPlugin } from '@graphiql/react';
import { later } from '../later.tsx';

export const SCHEMA_PLUGIN: GraphiQLPlugin = {
  title: 'Schema',
  icon: () => (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <rect x="2.5" y="9" width="7" height="6" rx="1.5" />
      <rect x="14.5" y="3" width="7" height="6" rx="1.5" />
      <rect x="14.5" y="15" width="7" height="6" rx="1.5" />
      <path d="M9.5 12h2.5m2.5-6h-1.5a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h1.5" />
    </svg>
  ),
  content: later('The map of the schema', () =>
    import('./schema-map.tsx').then(({ SchemaMap }) => SchemaMap),
  ),
};
