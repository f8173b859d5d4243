import { ChevronDownIcon, DropdownMenu, useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { isPhone } from './device.ts';
import { type Example, examples } from './examples.ts';

const reads = examples.filter(({ isChange }) => !isChange);
const changes = examples.filter(({ isChange }) => isChange);

export function ExamplesMenu() {
  const open = useOpenExample();
  const itemOf = (example: Example) => (
    <DropdownMenu.Item key={example.title} onSelect={() => open(example)}>
      {example.title}
    </DropdownMenu.Item>
  );
  return (
    <DropdownMenu modal={false}>
      <DropdownMenu.Button className="quiet examples-button">
        Examples <ChevronDownIcon aria-hidden="true" />
      </DropdownMenu.Button>
      <DropdownMenu.Content className="examples-menu" collisionPadding={8}>
        {reads.map(itemOf)}
        <hr />
        <fieldset aria-labelledby="changes-label">
          <div id="changes-label" className="menu-label">
            These change the demo’s data
          </div>
          {changes.map(itemOf)}
        </fieldset>
      </DropdownMenu.Content>
    </DropdownMenu>
  );
}

/** Shows an example in the tab that already has it, else in a new tab, so that no typed text is overwritten. */
function useOpenExample(): (example: Example) => void {
  const { addTab, changeTab, setOperationFacts, setVisiblePlugin } = useGraphiQLActions();
  const tabs = useGraphiQL((state) => state.tabs);
  const activeTabIndex = useGraphiQL((state) => state.activeTabIndex);
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);

  return ({ query, variables }) => {
    // On a phone the docs cover the editors.
    if (isPhone()) setVisiblePlugin(null);
    const index = tabs.findIndex((tab) => tab.query === query);
    if (index >= 0) {
      if (index !== activeTabIndex) changeTab(index);
      return;
    }
    if (queryEditor?.getValue()) addTab();
    queryEditor?.setValue(query);
    // GraphiQL updates the operation's name with a delay, and would send the last query's name until then.
    setOperationFacts({});
    variableEditor?.setValue(variables);
  };
}
