import { DOC_EXPLORER_PLUGIN, DocExplorerStore } from '@graphiql/plugin-doc-explorer';
import { HISTORY_PLUGIN, HistoryStore } from '@graphiql/plugin-history';
import { GraphiQLProvider } from '@graphiql/react';
import { GraphiQL, GraphiQLInterface } from 'graphiql';
import { Answer } from './answers/answer.tsx';
import { BackToQuery } from './back-to-query.tsx';
import { isPhone } from './device.ts';
import { fetcher } from './fetcher.ts';
import { FirstSteps } from './first-steps.tsx';
import { QUERY_BUILDER_PLUGIN } from './query-builder-plugin.tsx';
import { RunKeys } from './run-keys.tsx';
import { SCHEMA_PLUGIN } from './schema/schema-plugin.tsx';
import { StartingOperation } from './starting-operation.tsx';
import { startingTabs } from './starting-tabs.ts';
import { storage } from './storage.ts';
import { SystemTheme } from './system-theme.tsx';
import { TopBar } from './top-bar.tsx';
import { useSchema } from './use-schema.ts';

const plugins = [DOC_EXPLORER_PLUGIN, SCHEMA_PLUGIN, QUERY_BUILDER_PLUGIN, HISTORY_PLUGIN];
const tabs = startingTabs();

export function App() {
  const schema = useSchema();
  return (
    <div className="graphiql-container app">
      <GraphiQLProvider
        fetcher={fetcher}
        storage={storage}
        plugins={plugins}
        referencePlugin={DOC_EXPLORER_PLUGIN}
        {...tabs}
        {...(schema !== undefined && { schema })}
        dangerouslyAssumeSchemaIsValid
        defaultQuery=""
        schemaDescription
        inputValueDeprecation
      >
        <HistoryStore>
          <DocExplorerStore>
            <SystemTheme />
            <RunKeys />
            <StartingOperation />
            <TopBar />
            <main>
              <BackToQuery />
              <GraphiQLInterface
                defaultEditorToolsVisibility={isPhone() ? false : 'variables'}
                showPersistHeadersSettings={false}
              >
                <GraphiQL.Logo>{null}</GraphiQL.Logo>
                <GraphiQL.Footer>
                  <FirstSteps />
                  <Answer />
                </GraphiQL.Footer>
              </GraphiQLInterface>
            </main>
          </DocExplorerStore>
        </HistoryStore>
      </GraphiQLProvider>
    </div>
  );
}
