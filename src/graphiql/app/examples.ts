// The queries the explorer opens with. They run against the demo data: a test runs each.
/// <reference path="./graphql-files.d.ts" />
import documents from './examples.graphql?raw';

export interface Example {
  readonly title: string;
  readonly query: string;
  /** JSON text for the variables pane; '' for none. */
  readonly variables: string;
  /** Whether it changes the demo data. */
  readonly isChange: boolean;
}

/** The title of each operation of examples.graphql in the menu, and its variables. */
const OPERATIONS: Readonly<Record<string, { title: string; variables?: object; isChange?: true }>> = {
  Overview: { title: 'Who am I, and what may I see?', variables: { subdomain: 'acme' } },
  Contacts: {
    title: 'Contacts, newest first, page by page',
    variables: { subdomain: 'acme', first: 10, after: null },
  },
  Funnels: { title: 'Funnels and their steps', variables: { subdomain: 'acme' } },
  Teams: { title: 'Teams and workspaces' },
  FiltersAndWebhooks: { title: 'Saved filters and webhook endpoints', variables: { subdomain: 'acme' } },
  Orders: { title: 'Orders, newest first', variables: { subdomain: 'acme' } },
  DropOut: { title: 'Where visitors of a funnel drop out', variables: { subdomain: 'acme' } },
  ByDay: { title: 'Visits and sales by day', variables: { subdomain: 'acme' } },
  Splits: { title: 'Conditional splits and their ids', variables: { subdomain: 'acme' } },
  SplitTests: { title: 'Split tests and their arms', variables: { subdomain: 'acme' } },
  CreateContact: {
    title: 'Create a contact',
    variables: {
      input: {
        workspaceId: 'V29ya3NwYWNlOjI=',
        emailAddress: 'robin@example.com',
        firstName: 'Robin',
        customAttributes: [{ name: 'favourite_trail', value: 'Ridge loop' }],
        idempotencyKey: 'the-first-contact',
      },
    },
    isChange: true,
  },
  RemoveSplit: {
    title: 'Remove a conditional split',
    variables: {
      input: { conditionalSplitId: 'Q29uZGl0aW9uYWxTcGxpdDoxOA==', branch: 'MATCHED' },
    },
    isChange: true,
  },
};

/** An empty line separates operations. */
const texts = documents.trim().split('\n\n');

export const examples: readonly Example[] = Object.entries(OPERATIONS).map(([name, operation]) => {
  const { title, variables, isChange = false } = operation;
  const query = texts.find((text) => new RegExp(`^(query|mutation) ${name}\\b`, 'm').test(text)) ?? '';
  const shown = variables === undefined ? '' : JSON.stringify(variables, null, 2);
  return { title, query: `${query}\n`, variables: shown, isChange };
});
