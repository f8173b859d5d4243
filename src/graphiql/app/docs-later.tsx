// The documentation explorer, loaded when somebody opens it: what it needs (lists, Markdown, a combobox) is a tenth of the
// whole page. The bundle has this in place of the plugin's own component (build.ts).
import { Spinner } from '@graphiql/react';
import { lazy, Suspense } from 'react';

const Loaded = lazy(() =>
  import('../../../node_modules/@graphiql/plugin-doc-explorer/dist/components/doc-explorer.js').then(
    ({ DocExplorer: Docs }) => ({ default: Docs }),
    () => ({ default: NotLoaded }),
  ),
);

export function DocExplorer() {
  return (
    <Suspense fallback={<Spinner />}>
      <Loaded />
    </Suspense>
  );
}

function NotLoaded() {
  return <p role="alert">The documentation could not be loaded. Reload the page to try again.</p>;
}
