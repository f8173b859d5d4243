import { DOC_EXPLORER_PLUGIN, DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { HISTORY_PLUGIN, HistoryStore } from '@graphiql/plugin-history';
import { GraphiQLProvider } from '@graphiql/react';
import { GraphiQL, GraphiQLInterface } from 'graphiql';
import { examples } from './examples.ts';
import { fetcher } from './fetcher.ts';
import { storage } from './storage.ts';
import { SystemTheme } from './system-theme.tsx';
import { TopBar } from './top-bar.tsx';

const [first] = examples;
const plugins = [DOC_EXPLORER_PLUGIN, HISTORY_PLUGIN];
// On a first visit the first example is open; later visits find the tabs as they were left. GraphiQL takes the query of
// a default tab, but not its variables.
const firstVisit = first &&
  storage.getItem('graphiql:tabState') === null && {
    defaultTabs: [first],
    initialVariables: first.variables,
  };

export function App() {
  return (
    <div className="graphiql-container app">
      <GraphiQLProvider
        fetcher={fetcher}
        storage={storage}
        plugins={plugins}
        referencePlugin={DOC_EXPLORER_PLUGIN}
        {...firstVisit}
        defaultQuery=""
        schemaDescription
        inputValueDeprecation
      >
        <HistoryStore>
          <DocExplorerStore>
            <SystemTheme />
            <TopBar />
            <GraphiQLInterface defaultEditorToolsVisibility="variables" showPersistHeadersSettings={false}>
              <GraphiQL.Logo>{null}</GraphiQL.Logo>
            </GraphiQLInterface>
          </DocExplorerStore>
        </HistoryStore>
      </GraphiQLProvider>
    </div>
  );
}
