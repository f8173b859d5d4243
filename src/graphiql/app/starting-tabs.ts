// The content of the editors at the start: the operation of a link or sign-in, else the last open tab, else the first example. GraphiQL
// restores the queries of its tabs but not the variables, so a reload would lose them.
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

/** The selected operation of the document at the start; '' if not specified. */
export function startingOperationName(): string {
  return (incoming ?? keptTab())?.operationName ?? '';
}

/** The tab that was open at the end of the last visit; undefined without one. */
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
