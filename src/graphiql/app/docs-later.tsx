// Loads the documentation explorer when it is opened, because its code (lists, Markdown, a combobox) is a tenth of the whole page. The
// bundle uses this instead of the plugin's own component (build.ts).
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
