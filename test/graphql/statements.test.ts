// One SQL statement a level, for any number of parents.
import { describe, expect, test } from 'vitest';
import { graphql } from '../generated/gql.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { dataOf, post } from '../support/graphql.ts';
import { statementsOf } from '../support/graphql-statements.ts';
import { prismaOf } from '../support/prisma.ts';

const WORKSPACES = 10;
const FUNNELS = 10;

const gateway = await sharedGateway();
const { app } = gateway;
const team = await factories.team(app);
const caller = await factories.apiKey(app, { teamId: team.id });
const teamId = Number(team.id);
const workspaceIds: string[] = [];
for (let w = 0; w < WORKSPACES; w++) {
  const { id: workspaceId } = await factories.workspace(app, { teamId: team.id });
  workspaceIds.push(btoa(`Workspace:${workspaceId}`));
  await factories.contacts(app, workspaceId, 3);
  const filter = await factories.refineFilter(app, { workspaceId });
  const tag = await prismaOf(app.store).funnelLabel.create({
    data: { workspaceId, name: `Tag ${w}`, color: '#336699' },
  });
  for (let f = 0; f < FUNNELS; f++) {
    const funnel = await factories.funnel(app, { workspaceId, tagIds: [tag.id] });
    const steps = await factories.workflow(app, funnel, [
      `Landing ${w} ${f}`,
      { split: `Split ${w} ${f}`, matched: [`Yes ${w} ${f}`], unmatched: [`No ${w} ${f}`] },
    ]);
    await prismaOf(app.store).funnelStep.updateMany({
      where: { id: steps.get(`Split ${w} ${f}`)?.id ?? 0n },
      data: { filterId: filter.id },
    });
    const pageIds = [...steps.values()].map((step) => step.pageId).filter((id) => id !== null);
    await factories.webhookEndpoint(app, { workspaceId, pageIds, funnelIds: [funnel.id] });
  }
}

test('workspaces, their funnels and all their steps with pages are three statements', async () => {
  const query = graphql(`
    query WorkflowsOfWorkspaces($ids: [ID!]!) {
      nodes(ids: $ids) {
        ... on Workspace {
          funnels(first: 10) {
            nodes {
              name
              steps {
                name
                ... on PageStep {
                  page {
                    name
                    currentPath
                  }
                }
                ... on ConditionalSplit {
                  matched {
                    name
                  }
                  unmatched {
                    name
                  }
                }
              }
            }
          }
        }
      }
    }
  `);
  const names = await statementsOf(gateway, () => dataOf(gateway, query, { ids: workspaceIds }, { caller }));
  expect(names).toEqual([
    'workspaces.ids',
    expect.stringContaining('funnels.under'),
    'funnel_steps.of_funnels',
  ]);
});

test('steps read with their funnels equal steps read by themselves', async () => {
  const { id: workspaceId } = await factories.workspace(gateway.app, { teamId: BigInt(teamId) });
  for (const names of [
    ['Only'],
    [],
    ['One', { split: 'Or', matched: [], unmatched: ['No', 'Never'] }, 'Two'],
    [],
  ])
    await factories.workflow(gateway.app, await factories.funnel(gateway.app, { workspaceId }), names);
  const steps = `{ id name ... on ConditionalSplit { matched { id name } unmatched { id name } } }`;
  for (const args of ['first: 10', 'last: 3', 'first: 2', 'first: 10, orderBy: { direction: DESC }']) {
    const ask = async (selection: string) => {
      const query = `{ team(by: { databaseId: ${teamId} }) { workspaces { nodes { funnels(${args}) {
        nodes { id ${selection} } pageInfo { hasNextPage hasPreviousPage } } } } } }`;
      return JSON.stringify((await post(gateway, { query }, { caller })).data);
    };
    const [together, apart] = await Promise.all([
      ask(`a: steps ${steps}`),
      ask(`a: steps ${steps} b: steps { name }`),
    ]);
    expect(together.includes('Never')).toBe(args !== 'first: 2');
    expect(together === apart.replaceAll(/,"b":\[[^\]]*\]/g, '')).toBe(true);
  }
});

/** A selection below every workspace of the team, and how many statements it may add to team and workspaces. */
const NESTED: readonly (readonly [field: string, selection: string, statements: number])[] = [
  ['Workspace.team', 'team { name }', 1],
  [
    'Workspace.contacts',
    'contacts { nodes { emailAddress tags { nodes { name } } customAttributes { name } } }',
    1,
  ],
  ['Contact.workspace', 'contacts { nodes { workspace { name } } }', 2],
  ['ContactConnection.totalCount', 'contacts { totalCount }', 2],
  ['PageInfo.hasNextPage, known', 'contacts(first: 2) { pageInfo { hasNextPage endCursor } }', 1],
  ['PageInfo.hasPreviousPage, at the start', 'contacts { pageInfo { hasPreviousPage startCursor } }', 1],
  ['Workspace.funnels', 'funnels { nodes { name } }', 1],
  ['Funnel.tags', 'funnels { nodes { name tags { nodes { name } } } }', 1],
  ['Funnel.workspace', 'funnels { nodes { workspace { name } } }', 2],
  ['Funnel.steps', 'funnels { nodes { steps { name } } }', 1],
  ['Funnel.steps, of one workspace', 'funnels(first: 1) { nodes { name steps { id name } } }', 1],
  ['FunnelStep.parent', 'funnels { nodes { steps { branch position parent { name } } } }', 1],
  [
    'ConditionalSplit.parent, from a list',
    'funnels { nodes { conditionalSplits { nodes { branch position parent { name } } } } }',
    3,
  ],
  [
    'ConditionalSplit.removalPreview',
    'funnels(first: 5) { nodes { steps { ... on ConditionalSplit { removalPreview { discardedPages { name } } } } } }',
    2,
  ],
  [
    'removalPreview of both kinds of split',
    `funnels(first: 10) { nodes { steps { name ... on ConditionalSplit { removalPreview { promotedPages { name } discardedPages { name } } }
      ... on SplitTest { removalPreview { promotedPages { name } discardedPages { name } } } } } }`,
    3,
  ],
  ['Funnel.steps twice', 'funnels { nodes { a: steps { id } b: steps { name } } }', 3],
  ['Funnel.steps beside tags', 'funnels { nodes { tags { nodes { name } } steps { name } } }', 1],
  // At most 500 objects: of more, the full executor completes the rest in later ticks, each with its statement.
  ['FunnelStep.funnel', 'funnels(first: 5) { nodes { steps { funnel { name } } } }', 2],
  ['PageStep.page', 'funnels { nodes { steps { ... on PageStep { page { name } } } } }', 2],
  ['Page.workspace', 'funnels { nodes { steps { ... on PageStep { page { workspace { name } } } } } }', 3],
  [
    'ConditionalSplit.filter',
    'funnels { nodes { steps { ... on ConditionalSplit { savedFilter { name } } } } }',
    2,
  ],
  ['Funnel.conditionalSplits', 'funnels { nodes { conditionalSplits { nodes { name } } } }', 2],
  [
    'ConditionalSplit.matched, from a list',
    'funnels { nodes { conditionalSplits { nodes { matched { name } } } } }',
    3,
  ],
  ['ConditionalSplitConnection.totalCount', 'funnels { nodes { conditionalSplits { totalCount } } }', 3],
  ['Workspace.pages', 'pages { nodes { name } }', 1],
  ['Workspace.savedFilters', 'savedFilters { nodes { criteria { value { text } } workspace { name } } }', 2],
  ['Workspace.webhookEndpoints', 'webhookEndpoints { nodes { url workspace { name } } }', 2],
  ['WebhookEndpoint.pages', 'webhookEndpoints { nodes { pages { nodes { name } } } }', 2],
  ['WebhookEndpoint.funnels', 'webhookEndpoints { nodes { funnels { nodes { name } } } }', 2],
  ['a field asked for twice under aliases', 'a: contacts { nodes { id } } b: contacts { nodes { id } }', 1],
];

describe('a nested field costs the same number of statements for ten parents as for one', () => {
  test.each(NESTED)('%s', async (_field, selection, statements) => {
    const query = `query ($teamId: BigInt!) {
      team(by: { databaseId: $teamId }) { workspaces(first: 10) { nodes { id ${selection} } } }
    }`;
    const names = await statementsOf(gateway, async () => {
      const { errors } = await post(gateway, { query, variables: { teamId } }, { caller });
      expect(errors).toBeUndefined();
    });
    expect(names[0]).toContain('workspaces.under');
    expect(names.slice(1), names.join()).toHaveLength(statements);
  });
});

test('page info needs a statement only if the page does not already have the answer', async () => {
  const cursor = Buffer.from('contacts:1').toString('base64url');
  const selection = (asked: string) =>
    `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Workspace { contacts(after: "${cursor}") { ${asked} } } } }`;
  const count = async (asked: string) => {
    const variables = { ids: workspaceIds };
    return (
      await statementsOf(gateway, () => post(gateway, { query: selection(asked), variables }, { caller }))
    ).length;
  };
  expect(await count('nodes { id }')).toBe(2);
  expect(await count('pageInfo { hasNextPage }')).toBe(2);
  expect(await count('pageInfo { hasPreviousPage }')).toBe(3);
});

test('many root fields of one kind share one statement', async () => {
  const aliases = workspaceIds.map((id, index) => `w${index}: workspace(by: { id: "${id}" }) { name }`);
  const names = await statementsOf(gateway, () =>
    post(gateway, { query: `{ ${aliases.join(' ')} }` }, { caller }),
  );
  expect(names).toEqual(['workspaces.ids']);
});

test('introspection and the viewer need no statement', async () => {
  const query = '{ __schema { types { name } } viewer { name scopes } }';
  expect(await statementsOf(gateway, () => post(gateway, { query }, { caller }))).toEqual([]);
});
