// Authorization over GraphQL (spec §5): 401 with a challenge, null where a scope is missing, and no data of other teams.
import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { graphql } from '../generated/gql.ts';
import * as factories from '../support/factories.ts';
import { anonymous, sharedGateway } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { ask, dataOf, post } from '../support/graphql.ts';
import { bearerOf } from '../support/oauth-tokens.ts';
import { createTenant, type Tenant } from '../support/operations.ts';

const gateway = await sharedGateway();
const ours = await createTenant(gateway.app, 'ours');
const theirs = await createTenant(gateway.app, 'theirs');

const METADATA = 'resource_metadata="http://localhost:4000/.well-known/oauth-protected-resource"';

describe('without a key', () => {
  const REMOVE =
    'mutation { removeConditionalSplit(input: { conditionalSplitId: "x" }) { removedConditionalSplitId } }';
  test.each([
    ['{ viewer { name } }', null],
    ['{ viewer { teams { nodes { name workspaces { nodes { name } } } } } }', null],
    ['{ viewer { teams { nodes { createdAt } } } }', 'account:read'],
    ['{ workspace(by: { subdomain: "acme" }) { contacts { totalCount } } }', 'contacts:read'],
    [
      '{ workspace(by: { subdomain: "acme" }) { ...W } } fragment W on Workspace { funnels { totalCount } }',
      'funnels:read',
    ],
    [
      '{ node(id: "x") { ... on WebhookEndpoint { url pages { nodes { name } } } } }',
      'funnels:read webhooks:read',
    ],
    ['{ node(id: "x") { ...C } } fragment C on Contact { uuid }', 'contacts:read'],
    ['{ node(id: "x") { ... on ConditionalSplit { savedFilter { name } } } }', 'contacts:read funnels:read'],
    [REMOVE, 'funnels:write'],
    [
      REMOVE.replace('removedConditionalSplitId', 'funnel { name } promotedPages { name }'),
      'funnels:read funnels:write',
    ],
  ])('%s is 401 and names what it needs', async (query, scope) => {
    const { response, data, errors } = await post(gateway, { query }, { caller: anonymous });
    expect(response.status).toBe(401);
    expect(response.headers.get('Content-Type')).toBe('application/graphql-response+json; charset=utf-8');
    const named = scope === null ? '' : `scope="${scope}", `;
    expect(response.headers.get('WWW-Authenticate')).toBe(
      `Bearer realm="Service API v2", error="insufficient_scope", ${named}${METADATA}`,
    );
    expect(data).toBeUndefined();
    expect(errors).toEqual([
      {
        message:
          'Credentials missing. Send an API key or an access token as "Authorization: Bearer <credential>".',
        extensions: {
          code: 'UNAUTHENTICATED',
          requestId: response.headers.get('X-Request-Id'),
          ...(scope !== null && { scope }),
        },
      },
    ]);
  });

  test('clients of plain JSON get 401 too', async () => {
    const headers = { Accept: 'application/json' };
    const { response } = await post(gateway, { query: '{ viewer { name } }' }, { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  });

  test('introspection is allowed', async () => {
    for (const query of ['{ __typename }', getIntrospectionQuery(), '{ __type(name: "Contact") { name } }']) {
      const { response, data, errors } = await post(gateway, { query });
      expect([response.status, errors]).toEqual([200, undefined]);
      expect(data).toBeTruthy();
    }
  });

  test('introspection together with data is 401', async () => {
    const { response } = await post(gateway, { query: '{ __typename viewer { name } }' });
    expect(response.status).toBe(401);
  });

  test('validation errors come first: the schema is public', async () => {
    for (const query of ['{', '{ nope }', '{ viewer }']) {
      expect((await post(gateway, { query })).response.status).toBe(400);
    }
  });
});

describe('an invalid credential is 401 invalid_token:', () => {
  const past = new Date('2020-01-01');
  const cases: [string, () => Promise<string>][] = [
    ['unknown', async () => `Bearer fgw_${'0'.repeat(49)}`],
    ['not a bearer token', async () => 'Basic Zm9vOmJhcg=='],
    [
      'revoked',
      async () =>
        (await factories.apiKey(gateway.app, { teamId: ours.team.id, revokedAt: past })).authorization ?? '',
    ],
    [
      'expired',
      async () =>
        (
          await factories.apiKey(gateway.app, {
            teamId: ours.team.id,
            createdAt: past,
            expiresAt: new Date('2020-02-01'),
          })
        ).authorization ?? '',
    ],
  ];
  test.each(cases)('%s', async (_name, authorization) => {
    const caller = { authorization: await authorization() };
    const { response, errors } = await post(
      gateway,
      { query: '{ viewer { teams { nodes { locale } } } }' },
      { caller },
    );
    expect(response.status).toBe(401);
    expect(response.headers.get('WWW-Authenticate')).toBe(
      `Bearer realm="Service API v2", error="invalid_token", scope="account:read", ${METADATA}`,
    );
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  });
});

test('on a custom domain the challenge has no resource_metadata', async () => {
  await factories.customDomain(gateway.app, ours.workspace.id, 'shop.ours.example');
  const { response } = await post(gateway, { query: '{ viewer { name } }' }, { host: 'shop.ours.example' });
  expect(response.headers.get('WWW-Authenticate')).toBe(
    'Bearer realm="Service API v2", error="insufficient_scope"',
  );
});

const EVERYTHING = graphql(`
  query EveryCategory($id: BigInt!, $contact: ID!, $funnel: ID!, $endpoint: ID!) {
    viewer { kind scopes }
    workspace(by: { databaseId: $id }) { name contacts { totalCount } funnels { totalCount } savedFilters { totalCount } webhookEndpoints { totalCount } pages { totalCount } }
    contact: node(id: $contact) { id ... on Contact { workspace { name } } }
    funnel: node(id: $funnel) { id ... on Funnel { workspace { name } steps { name ... on ConditionalSplit { savedFilter { name } } } } }
    endpoint: node(id: $endpoint) { id ... on WebhookEndpoint { funnels { nodes { name } } pages { nodes { name } } workspace { name } } }
  }
`);

const variablesOf = ({ workspace, contact, funnel, webhookEndpoint }: Tenant) => ({
  id: Number(workspace.id),
  contact: btoa(`Contact:${contact.id}`),
  funnel: btoa(`Funnel:${funnel.id}`),
  endpoint: btoa(`WebhookEndpoint:${webhookEndpoint.id}`),
});

const LISTS = ['contacts', 'funnels', 'pages', 'savedFilters', 'webhookEndpoints'].map(
  (list) => `workspace.${list}`,
);

describe('a missing scope makes the fields that need it null, and no others', () => {
  test.each([
    ['account:read', ['contact', 'endpoint', 'funnel', ...LISTS]],
    [
      'contacts:read',
      ['endpoint', 'funnel', 'workspace.funnels', 'workspace.pages', 'workspace.webhookEndpoints'],
    ],
    [
      'funnels:read',
      [
        ...['contact', 'endpoint', 'funnel.steps.1.savedFilter'],
        ...['workspace.contacts', 'workspace.savedFilters', 'workspace.webhookEndpoints'],
      ],
    ],
    [
      'webhooks:read',
      [
        ...['contact', 'endpoint.funnels', 'endpoint.pages', 'funnel'],
        ...['workspace.contacts', 'workspace.funnels', 'workspace.pages', 'workspace.savedFilters'],
      ],
    ],
    ['store:write', ['contact', 'endpoint', 'funnel', ...LISTS]],
    ['write', ['contact', 'endpoint', 'funnel', ...LISTS]],
    ['read', []],
  ])('%s alone', async (scope, missing) => {
    const caller = await factories.apiKey(gateway.app, { teamId: ours.team.id, scopes: [scope] });
    const { response, data, errors = [] } = await ask(gateway, EVERYTHING, variablesOf(ours), { caller });
    expect(response.status).toBe(200);
    expect(data?.viewer).toEqual({ kind: 'API_KEY', scopes: [scope] });
    expect(errors.map(({ path = [] }) => path.join('.')).sort()).toEqual(missing);
    for (const { message, extensions } of errors) {
      expect(extensions.code).toBe('INSUFFICIENT_SCOPE');
      expect(message).toBe(`This needs the scope ${extensions.scope}.`);
    }
  });
});

describe('a workspace is a place: any valid credential', () => {
  const PLACES = `query ($id: BigInt!, $subdomain: String!) {
    viewer { teams { nodes { id databaseId publicId name workspaces { totalCount nodes { id databaseId publicId name subdomain team { name } } } } } }
    workspace(by: { databaseId: $id }) { name }
    bySubdomain: workspace(by: { subdomain: $subdomain }) { name }
  }`;
  const { team, workspace } = ours;
  const variables = { id: Number(workspace.id), subdomain: workspace.subdomain };

  test('sees the teams and workspaces that it may enter', async () => {
    const shown = {
      id: btoa(`Workspace:${workspace.id}`),
      databaseId: Number(workspace.id),
      publicId: workspace.publicId,
      name: workspace.name,
      subdomain: workspace.subdomain,
      team: { name: team.name },
    };
    for (const scope of ['contacts:read', 'store:write']) {
      const caller = await factories.apiKey(gateway.app, { teamId: team.id, scopes: [scope] });
      // The fast path answers the second time.
      for (const _ of [1, 2]) {
        const { data, errors } = await post<object>(gateway, { query: PLACES, variables }, { caller });
        expect([scope, errors]).toEqual([scope, undefined]);
        expect(data).toMatchObject({
          viewer: { teams: { nodes: [{ name: team.name, workspaces: { nodes: [shown] } }] } },
          workspace: { name: workspace.name },
          bySubdomain: { name: workspace.name },
        });
      }
    }
  });

  test.each([
    ['Workspace', 'createdAt'],
    ['Workspace', 'updatedAt'],
    ['Workspace', 'auditEntries { totalCount }'],
    ['Team', 'createdAt'],
    ['Team', 'timeZone'],
    ['Team', 'locale'],
    ['Team', 'users { totalCount }'],
    ['Team', 'apiKeys { totalCount }'],
    ['Team', 'oauthGrants { totalCount }'],
    // The order of the list tells when workspaces were changed.
    ['Team', 'workspaces(orderBy: { field: UPDATED_AT }) { nodes { name } }'],
    ['Team', 'workspaces(filter: { createdAt: { from: "2020-01-01T00:00:00Z" } }) { nodes { name } }'],
  ])('gets null without account:read for %s.%s', async (type, field) => {
    const caller = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['contacts:read'] });
    const query = `query ($id: ID!) { node(id: $id) { ... on ${type} { name shown: ${field} } } }`;
    const id = btoa(`${type}:${type === 'Team' ? team.id : workspace.id}`);
    for (const _ of [1, 2]) {
      const answer = await post<object>(gateway, { query, variables: { id } }, { caller });
      expect(answer.data).toEqual({ node: { name: expect.any(String), shown: null } });
      expect(answer.errors).toMatchObject([
        { path: ['node', 'shown'], extensions: { code: 'INSUFFICIENT_SCOPE', scope: 'account:read' } },
      ]);
    }
  });

  test('of another team gets nothing', async () => {
    const caller = await factories.apiKey(gateway.app, { teamId: theirs.team.id, scopes: ['contacts:read'] });
    const { data } = await post(gateway, { query: PLACES, variables }, { caller });
    expect(data).toMatchObject({ workspace: null, bySubdomain: null });
    expect(JSON.stringify(data)).not.toContain(workspace.publicId);
  });

  test('that is narrowed by its grant or the host sees these workspaces alone', async () => {
    const { team, workspace } = await createTenant(gateway.app, 'narrowed place');
    const sibling = await factories.workspace(gateway.app, { teamId: team.id, name: 'its sibling' });
    const grant = await oauthGrant(gateway.app, {
      teamId: team.id,
      workspaceIds: [workspace.id],
      scopes: ['contacts:read'],
    });
    const key = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['contacts:read'] });
    const query = '{ viewer { teams { nodes { workspaces { nodes { name } } } } } }';
    const seen = async (options: object) => {
      const { data } = await post<object>(gateway, { query }, options);
      return JSON.stringify(data).match(/(?<="name":")[^"]+/g) ?? [];
    };
    expect(await seen({ caller: await bearerOf(gateway.app, grant) })).toEqual([workspace.name]);
    expect(await seen({ caller: key, host: `${sibling.subdomain}.localhost` })).toEqual([sibling.name]);
    expect(await seen({ caller: key })).toEqual([workspace.name, sibling.name]);
  });
});

describe('another team’s', () => {
  test('objects are not found, by any of their keys', async () => {
    const caller = await factories.apiKey(gateway.app, { teamId: theirs.team.id });
    const query = graphql(`
      query ByEveryName($team: BigInt!, $workspace: BigInt!, $subdomain: String!, $workspaceId: ID!, $ids: [ID!]!) {
        team(by: { databaseId: $team }) { name }
        byDatabaseId: workspace(by: { databaseId: $workspace }) { name }
        bySubdomain: workspace(by: { subdomain: $subdomain }) { name }
        byId: workspace(by: { id: $workspaceId }) { name }
        nodes(ids: $ids) { id }
      }
    `);
    const { workspace, contact, funnel, webhookEndpoint, refineFilter, split, team } = ours;
    const named = {
      Team: team,
      Workspace: workspace,
      Contact: contact,
      Funnel: funnel,
      SavedFilter: refineFilter,
    };
    const all = { ...named, WebhookEndpoint: webhookEndpoint, ConditionalSplit: split };
    const ids = Object.entries(all).map(([name, { id }]) => btoa(`${name}:${id}`));
    const variables = {
      team: Number(team.id),
      workspace: Number(workspace.id),
      subdomain: workspace.subdomain,
      workspaceId: btoa(`Workspace:${workspace.id}`),
      ids,
    };
    const { data, errors } = await ask(gateway, query, variables, { caller });
    expect(data).toEqual({
      ...{ team: null, byDatabaseId: null, bySubdomain: null, byId: null },
      nodes: ids.map(() => null),
    });
    expect(errors).toBeUndefined();
    const own = await factories.apiKey(gateway.app, { teamId: ours.team.id });
    const seen = await dataOf(gateway, query, variables, { caller: own });
    expect(seen.nodes?.map((node) => node?.id)).toEqual(ids);
  });

  test('rows never appear in lists, whatever the arguments', async () => {
    const caller = await factories.apiKey(gateway.app, { teamId: theirs.team.id });
    const query = `{ viewer { teams { nodes { name workspaces { nodes { name contacts { nodes { firstName } } funnels { nodes { name steps { name } } }
      pages { nodes { name } } savedFilters { nodes { name } } webhookEndpoints { nodes { name } } } } } } } }`;
    const text = JSON.stringify((await post(gateway, { query }, { caller })).data);
    expect(text).toContain('theirs');
    expect(text).not.toContain('ours');
  });
});

describe('the host restricts the caller', () => {
  test('to its workspace: other workspaces of the team are not found', async () => {
    const sibling = await factories.workspace(gateway.app, { teamId: ours.team.id, name: 'sibling' });
    const caller = await factories.apiKey(gateway.app, { teamId: ours.team.id });
    const host = `${sibling.subdomain}.localhost:4000`;
    const { data, errors } = await ask(gateway, EVERYTHING, variablesOf(ours), { caller, host });
    expect(data).toMatchObject({ workspace: null, contact: null, funnel: null, endpoint: null });
    expect(errors).toBeUndefined();
    const query = '{ viewer { teams { nodes { workspaces { totalCount nodes { name } } } } } }';
    const listed = await post(gateway, { query }, { caller, host });
    expect(listed.data).toEqual({
      viewer: { teams: { nodes: [{ workspaces: { totalCount: 1, nodes: [{ name: 'sibling' }] } }] } },
    });
  });

  test('to nothing for a token of another workspace: its team is not found, for any selection', async () => {
    const { team, workspace } = await createTenant(gateway.app, 'narrowed');
    const sibling = await factories.workspace(gateway.app, { teamId: team.id });
    const grant = await oauthGrant(gateway.app, {
      teamId: team.id,
      workspaceIds: [workspace.id],
      scopes: ['account:read'],
    });
    const caller = await bearerOf(gateway.app, grant);
    const host = `${sibling.subdomain}.localhost`;
    for (const fields of ['name', 'id', 'id databaseId workspaces { totalCount }']) {
      const query = `{ team(by: { databaseId: "${team.id}" }) { ${fields} } }`;
      // The fast path answers the second time.
      for (const _ of [1, 2]) {
        const { data, errors } = await post(gateway, { query }, { caller, host });
        expect([fields, data, errors]).toEqual([fields, { team: null }, undefined]);
        expect((await post(gateway, { query }, { caller })).data?.['team']).not.toBeNull();
      }
    }
  });

  test('to nothing for a key of another team', async () => {
    const caller = await factories.apiKey(gateway.app, { teamId: theirs.team.id });
    const host = `${ours.workspace.subdomain}.localhost:4000`;
    const { data } = await post(
      gateway,
      { query: '{ viewer { teams { totalCount nodes { name } } } }' },
      { caller, host },
    );
    expect(data).toEqual({ viewer: { teams: { totalCount: 0, nodes: [] } } });
  });
});
