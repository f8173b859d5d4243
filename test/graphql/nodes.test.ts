// Every type of object over GraphQL: by its global id, with all its fields.
import { describe, expect, test } from 'vitest';
import { graphql } from '../generated/gql.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { ask, dataOf, post } from '../support/graphql.ts';
import { createTenant } from '../support/operations.ts';
import { prismaOf } from '../support/prisma.ts';
import { NODE_TYPES } from '../support/schema-operations.ts';
import { idsOf } from '../support/tenant-mutations.ts';

const gateway = await sharedGateway();
const tenant = await createTenant(gateway.app, 'all');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });

const globalId = (type: string, id: bigint) => btoa(`${type}:${id}`);

const NODES = graphql(`
  query Nodes($ids: [ID!]!) {
    nodes(ids: $ids) {
      __typename
      id
    }
  }
`);

test('an object of every type is found by its global id, with that id', async () => {
  const ids = await idsOf(gateway.app, tenant);
  expect(Object.keys(ids).sort()).toEqual(NODE_TYPES.map(({ name }) => name).sort());
  const { nodes } = await dataOf(gateway, NODES, { ids: Object.values(ids) }, { caller });
  const kinds: Record<string, string> = { ProductPrice: 'SubscriptionPrice' };
  expect(nodes).toEqual(Object.entries(ids).map(([type, id]) => ({ __typename: kinds[type] ?? type, id })));
});

test('the id of an object that does not exist gives null without an error', async () => {
  const ids = [btoa('Contact:0'), btoa('Contact:99999999'), globalId('PageStep', tenant.split.id)];
  const { nodes } = await dataOf(gateway, NODES, { ids }, { caller });
  expect(nodes).toEqual(ids.map(() => null));
});

test('the id of a type that there is not is null with an error', async () => {
  const ids = [
    btoa(`Nope:${tenant.contact.id}`),
    btoa('Node:1'),
    btoa(`ContactAppliedTag:${tenant.appliedTag.id}`),
    btoa(`Tag:${tenant.tag.id}`),
  ];
  const own = globalId('Contact', tenant.contact.id);
  const { data, errors } = await ask(gateway, NODES, { ids: [own, ...ids] }, { caller });
  expect(data?.nodes?.map((node) => node?.id)).toEqual([own, ...ids.map(() => undefined)]);
  expect(errors).toMatchObject(
    ids.map((_, index) => ({ path: ['nodes', index + 1], extensions: { code: 'INVALID', field: 'ids' } })),
  );
});

test.each([
  '',
  'x',
  '1',
  'AbCdEf',
  btoa('Contact:9223372036854775808'),
  btoa('Contact:01'),
  `${btoa('Contact:1')} `,
])('the text %j is no global id, and the error says where other ids go', async (id) => {
  for (const query of [
    'query ($id: ID!) { node(id: $id) { id } }',
    'query ($id: ID!) { nodes(ids: [$id]) { id } }',
  ]) {
    const { errors } = await post(gateway, { query, variables: { id } }, { caller });
    const field = query.includes('nodes') ? 'ids' : 'id';
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID', field } }]);
    expect(errors?.[0]?.message).toContain(`${field} must be a global id`);
    expect(errors?.[0]?.message).toContain('by: { databaseId }');
  }
});

test('more than 100 ids at once are refused', async () => {
  const ids = Array.from({ length: 101 }, () => 'x');
  const { errors } = await ask(gateway, NODES, { ids }, { caller });
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID', field: 'ids' } }]);
});

describe('team and workspace', () => {
  test.each([
    'team { name }',
    'team(by: {}) { name }',
    'team(by: { id: "x", databaseId: 1 }) { name }',
    'workspace(by: { databaseId: 1, subdomain: "a" }) { name }',
    'workspace(by: { id: null }) { name }',
  ])('take exactly one key: %s', async (query) => {
    const { data, errors } = await post(gateway, { query: `{ ${query} }` }, { caller });
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  });

  test('an id of another type is INVALID', async () => {
    const query = `{ workspace(by: { id: "${globalId('Team', tenant.team.id)}" }) { name } }`;
    const { errors } = await post(gateway, { query }, { caller });
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID', field: 'by.id' } }]);
  });

  test('are found by each of their keys', async () => {
    const { team, workspace } = tenant;
    const query = `{
      a: team(by: { id: "${globalId('Team', team.id)}" }) { name } b: team(by: { databaseId: ${team.id} }) { name }
      c: workspace(by: { id: "${globalId('Workspace', workspace.id)}" }) { name } d: workspace(by: { databaseId: "${workspace.id}" }) { name }
      e: workspace(by: { subdomain: "${workspace.subdomain.toUpperCase()}" }) { name } }`;
    const { data } = await post(gateway, { query }, { caller });
    const [t, w] = [{ name: 'all team' }, { name: 'all workspace' }];
    expect(data).toEqual({ a: t, b: t, c: w, d: w, e: w });
  });
});

test('ids beyond 2^53 stay exact, as output, as literals and as text', async () => {
  const { app } = gateway;
  const id = 9_007_199_254_740_993n;
  const workspace = await factories.workspace(app, { id, teamId: tenant.team.id });
  await factories.funnel(app, { workspaceId: workspace.id });
  const query = `query ($id: BigInt!) { a: workspace(by: { databaseId: $id }) { databaseId } b: workspace(by: { databaseId: ${id} }) { databaseId
    funnels { nodes { workspace { databaseId } } } } }`;
  const response = await gateway.send('/graphql', {
    caller,
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query, variables: { id: String(id) } }),
  });
  expect(await response.text()).toBe(
    `{"data":{"a":{"databaseId":${id}},"b":{"databaseId":${id},"funnels":{"nodes":[{"workspace":{"databaseId":${id}}}]}}}}`,
  );
  const rounded = await post(gateway, { query, variables: { id: Number(id) } }, { caller });
  expect(rounded.response.status).toBe(400);
  expect(rounded.errors?.[0]?.message).toContain('must be sent as a string of digits');
});

test('integers of more than 64 bits are refused without a statement', async () => {
  for (const value of [
    '9223372036854775808',
    '-9223372036854775809',
    '9'.repeat(200),
    '"1e3"',
    '""',
    'true',
  ]) {
    const { response } = await post(
      gateway,
      { query: `{ team(by: { databaseId: ${value} }) { name } }` },
      { caller },
    );
    expect([value, response.status]).toEqual([value, 400]);
  }
  const answer = await post(gateway, { query: '{ team(by: { databaseId: -1 }) { name } }' }, { caller });
  expect([answer.data, answer.errors]).toEqual([{ team: null }, undefined]);
});

test('every field of a contact has its value', async () => {
  const { app } = gateway;
  const unsubscribedAt = new Date('2026-01-02T03:04:05.006Z');
  const contact = await factories.contact(app, {
    workspaceId: tenant.workspace.id,
    firstName: 'Ada',
    unsubscribedAt,
    customAttributes: { shoe_size: '38' },
  });
  const tag = await factories.tag(app, tenant.workspace.id, 'vip');
  const { workspaceId } = contact;
  const applied = { workspaceId, contactId: contact.id, tagId: tag.id, appliedAt: unsubscribedAt };
  await prismaOf(app.store).contactTag.create({ data: applied });
  const query = graphql(`
    query EveryContactField($id: ID!) {
      node(id: $id) {
        ... on Contact {
          id databaseId publicId uuid anonymous: isAnonymous isActive emailAddress firstName lastName phoneNumber timeZone
          unsubscribedAt lastNotificationEmailSentAt emailSuppressionReason
          fbUrl: facebookUrl twitterUrl instagramUrl linkedinUrl websiteUrl
          customAttributes { name value }
          tags { edges { appliedAt node { databaseId publicId name color } } }
          workspace { databaseId name } createdAt updatedAt
        }
      }
    }
  `);
  const { node } = await dataOf(gateway, query, { id: globalId('Contact', contact.id) }, { caller });
  expect(node).toEqual({
    id: globalId('Contact', contact.id),
    databaseId: Number(contact.id),
    publicId: contact.publicId,
    uuid: contact.uuid,
    anonymous: false,
    isActive: false,
    emailAddress: contact.emailAddress,
    firstName: 'Ada',
    ...{ lastName: null, phoneNumber: null, timeZone: null, lastNotificationEmailSentAt: null },
    ...{ emailSuppressionReason: null, fbUrl: null, twitterUrl: null, instagramUrl: null },
    ...{ linkedinUrl: null, websiteUrl: null },
    unsubscribedAt: '2026-01-02T03:04:05.006Z',
    customAttributes: [{ name: 'shoe_size', value: '38' }],
    tags: {
      edges: [
        {
          appliedAt: '2026-01-02T03:04:05.006Z',
          node: { databaseId: Number(tag.id), publicId: tag.publicId, name: 'vip', color: '#336699' },
        },
      ],
    },
    workspace: { databaseId: Number(tenant.workspace.id), name: 'all workspace' },
    createdAt: contact.createdAt.toISOString(),
    updatedAt: contact.updatedAt.toISOString(),
  });
});

test('a webhook endpoint has the fields of the specification, and references', async () => {
  const { app } = gateway;
  const page = await factories.page(app, tenant.workspace.id, 'Limited');
  const discarded = await factories.page(app, tenant.workspace.id, 'Discarded');
  await prismaOf(app.store).page.updateMany({
    where: { id: discarded.id },
    data: { discardedAt: new Date(), discardReason: 'test' },
  });
  const endpoint = await factories.webhookEndpoint(app, {
    workspaceId: tenant.workspace.id,
    eventTypeIds: ['contact.identified', 'one-time-order.completed'],
    pageIds: [page.id, discarded.id],
    funnelIds: [tenant.funnel.id],
  });
  const query = graphql(`
    query EveryWebhookEndpointField($id: ID!) {
      node(id: $id) {
        ... on WebhookEndpoint {
          databaseId publicId workspace { databaseId } url name eventTypeIds apiVersion createdAt updatedAt
          pages { nodes { databaseId name } } funnels { nodes { databaseId name } }
        }
      }
    }
  `);
  const { node } = await dataOf(gateway, query, { id: globalId('WebhookEndpoint', endpoint.id) }, { caller });
  expect(node).toEqual({
    databaseId: Number(endpoint.id),
    publicId: endpoint.publicId,
    workspace: { databaseId: Number(tenant.workspace.id) },
    url: endpoint.url,
    name: endpoint.name,
    eventTypeIds: ['contact.identified', 'one-time-order.completed'],
    apiVersion: 2,
    createdAt: endpoint.createdAt.toISOString(),
    updatedAt: endpoint.updatedAt.toISOString(),
    pages: { nodes: [{ databaseId: Number(page.id), name: 'Limited' }] },
    funnels: { nodes: [{ databaseId: Number(tenant.funnel.id), name: 'all funnel' }] },
  });
});

test('64-bit integers in a criterion keep all digits, over REST as a number', async () => {
  const filter = await factories.refineFilter(gateway.app, { workspaceId: tenant.workspace.id });
  await gateway.app.store.pool.query(
    `update refine_filters set criteria = '[{"attribute": "tags.id", "clause": "in", "value": [9007199254740993, 1]}]' where id = $1`,
    [filter.id],
  );
  const query = `{ node(id: "${globalId('SavedFilter', filter.id)}") { ... on SavedFilter { criteria { value { ids } } } } }`;
  const body = JSON.stringify({ query });
  const headers = { 'Content-Type': 'application/json' };
  for (let times = 0; times < 2; times++) {
    const graphql = await gateway.send('/graphql', { caller, method: 'POST', headers, body });
    const ids = ['ContactTag:9007199254740993', 'ContactTag:1'].map((id) => btoa(id));
    expect(await graphql.text()).toContain(`"value":{"ids":${JSON.stringify(ids)}}`);
  }
  const rest = await gateway.send(`/api/v2/refine_filters/${filter.id}`, { caller });
  expect(await rest.text()).toContain('"value":[9007199254740993,1]');
});

test('a saved filter’s criteria are typed; null stands for what this version does not know', async () => {
  const criteria = [
    { attribute: 'tags.id', clause: 'in', value: [1, 2] },
    { attribute: 'created_at', clause: 'gt', value: { days: '30', modifier: 'ago' } },
    { attribute: 'email_suppression', clause: 'st' },
    { attribute: 'shoe_size', clause: 'fits', value: 'x' },
  ];
  const filter = await factories.refineFilter(gateway.app, { workspaceId: tenant.workspace.id, criteria });
  const query = `{ node(id: "${globalId('SavedFilter', filter.id)}") { ... on SavedFilter { filterClass conjunction criteria { attribute clause value { ids relative { days direction } } } } } }`;
  const { data } = await post(gateway, { query }, { caller });
  const ids = [1n, 2n].map((id) => globalId('ContactTag', id));
  expect(data).toEqual({
    node: {
      filterClass: 'CONTACTS',
      conjunction: 'AND',
      criteria: [
        { attribute: 'TAG', clause: 'IN', value: { ids, relative: null } },
        {
          attribute: 'CREATED_AT',
          clause: 'GREATER_THAN',
          value: { ids: null, relative: { days: 30, direction: 'AGO' } },
        },
        { attribute: 'EMAIL_SUPPRESSION', clause: 'IS_SET', value: null },
        { attribute: null, clause: null, value: null },
      ],
    },
  });
});

test('a workflow is a flat list of steps with their places, pages and filters', async () => {
  const query = `{ node(id: "${globalId('Funnel', tenant.funnel.id)}") { ... on Funnel { name archived: isArchived liveMode: isLive currentPath customDomain { databaseId }
    tags { nodes { name } } steps { __typename name branch position parent { name } ... on PageStep { page { name } }
    ... on ConditionalSplit { isSetUp savedFilter { name } matched { name } unmatched { name } }
    ... on SplitTest { arms { branch weight steps { name } } } }
    conditionalSplits { nodes { name isSetUp branch position parent { name } matched { name } unmatched { name } } } } } }`;
  const { data } = await post(gateway, { query }, { caller });
  const onTop = (position: number) => ({ parent: null, branch: null, position });
  const below = (name: string, branch: string, position = 0) => ({ parent: { name }, branch, position });
  const page = (name: string) => ({ __typename: 'PageStep', name, page: { name } });
  const branches = {
    matched: [{ name: 'all m' }, { name: 'Split test' }],
    unmatched: [{ name: 'all u' }],
  };
  const arms = [
    { branch: 'LEFT', weight: 60, steps: [{ name: 'all left' }] },
    { branch: 'RIGHT', weight: 40, steps: [{ name: 'all right' }] },
  ];
  const split = { name: 'all split', isSetUp: true, ...onTop(1), ...branches };
  expect(data).toMatchObject({
    node: {
      ...{ name: 'all funnel', archived: false, liveMode: false, customDomain: null, tags: { nodes: [] } },
      steps: [
        { ...page('all entry'), ...onTop(0) },
        { __typename: 'ConditionalSplit', ...split, savedFilter: { name: 'all filter of the split' } },
        { ...page('all m'), ...below('all split', 'MATCHED') },
        { __typename: 'SplitTest', name: 'Split test', arms, ...below('all split', 'MATCHED', 1) },
        { ...page('all left'), ...below('Split test', 'LEFT') },
        { ...page('all right'), ...below('Split test', 'RIGHT') },
        { ...page('all u'), ...below('all split', 'UNMATCHED') },
      ],
      conditionalSplits: { nodes: [split] },
    },
  });
});

test('the viewer is the caller, scopes in order', async () => {
  const expiresAt = new Date('2100-01-01T00:00:00.000Z');
  const scopes = ['read', 'account:read', 'funnels:write'];
  const key = await factories.apiKey(gateway.app, { teamId: tenant.team.id, scopes, expiresAt });
  const query = '{ viewer { id kind name scopes expiresAt teams { nodes { name } } } }';
  const { data } = await post(gateway, { query }, { caller: key });
  expect(data).toEqual({
    viewer: {
      kind: 'API_KEY',
      id: expect.any(String),
      name: `Key ${key.id}`,
      scopes: ['account:read', 'funnels:write', 'read'],
      expiresAt: '2100-01-01T00:00:00.000Z',
      teams: { nodes: [{ name: 'all team' }] },
    },
  });
});
