// What the editors hold at the start: what a link or a sign-in brought, else the tab that was open, else the first example. GraphiQL takes the
// queries of its tabs, but leaves the variables out, so that a reload would lose them.
import { incoming } from './address.ts';
import { examples } from './examples.ts';
import { storage } from './storage.ts';

interface KeptTab {
  readonly query?: string | null;
  readonly variables?: string | null;
  readonly operationName?: string | null;
}

export function startingTabs() {
  const tab = incoming ?? keptTab();
  if (tab !== undefined) return { initialQuery: tab.query ?? '', initialVariables: tab.variables ?? '' };
  const [first] = examples;
  return first && { defaultTabs: [first], initialVariables: first.variables };
}

/** Which operation of the document at the start is chosen; '' where that is not said. */
export function startingOperationName(): string {
  return (incoming ?? keptTab())?.operationName ?? '';
}

/** The tab that was open when the last visit ended; undefined when there was none. */
function keptTab(): KeptTab | undefined {
  try {
    const kept = JSON.parse(storage.getItem('graphiql:tabState') ?? '{}') as {
      tabs?: KeptTab[];
      activeTabIndex?: number;
    };
    return kept.tabs?.[kept.activeTabIndex ?? 0];
  } catch {
    return undefined;
  }
}
