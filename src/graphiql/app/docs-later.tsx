// Loads the documentation explorer when it is opened, because its code (lists, Markdown, a combobox) is a tenth of the whole page. The
// bundle uses this instead of the plugin's own component (build.ts).
import { later } from './later.tsx';

export const DocExplorer = later('The documentation', () =>
  import('../../../node_modules/@graphiql/plugin-doc-explorer/dist/components/doc-explorer.js').then(
    ({ DocExplorer: Docs }) => Docs,
  ),
);
