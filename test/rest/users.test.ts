// `GET /me` and GraphQL's `viewer { user }`: the user of a credential. A team's service user is created with it, and is not a person.
import { describe, expect, test } from 'vitest';
import * as users from '../../src/services/operator/users.ts';
import * as factories from '../support/factories.ts';
import { anonymous, type Caller, ownGateway } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { post } from '../support/graphql.ts';
import { bearer, bearerOf, issue, ownClaimsOf, sign } from '../support/oauth-tokens.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { json } from '../support/walk.ts';

interface User {
  readonly id: number;
  readonly public_id: string;
  readonly email: string;
  readonly [member: string]: unknown;
}

const QUERY = `{ viewer { user {
  id: databaseId public_id: publicId email: emailAddress first_name: firstName last_name: lastName time_zone: timeZone locale
  created_at: createdAt updated_at: updatedAt
} } }`;

const gateway = await ownGateway();
const team = await factories.team(gateway.app, {
  name: 'Acme Outdoor',
  timeZone: 'Tokyo',
  locale: 'ja',
  subdomain: 'acme',
});
await factories.workspace(gateway.app, { teamId: team.id, subdomain: 'shop' });
await factories.team(gateway.app, { subdomain: 'theirs' });
const key = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['store:read'] });

/** The answer of REST, which equals that of GraphQL for a person. A service user is nobody's. */
async function me(caller: Caller, host = 'localhost:4000'): Promise<User> {
  const response = await gateway.send('/api/v2/me', { caller, host });
  expect(response.status).toBe(200);
  const user = await json<User>(response);
  const { memberships: _, ...fields } = user;
  const { data, errors } = await post(gateway, { query: QUERY }, { caller, host });
  expect([data, errors]).toEqual([{ viewer: { user: user.email === '' ? null : fields } }, undefined]);
  return user;
}

const serviceUserOf = (teamId: bigint) =>
  prismaOf(gateway.app.store).user.findUniqueOrThrow({ where: { serviceTeamId: teamId } });

describe('the caller is', () => {
  test('for an API key, whatever its scopes, the service user of its team: named like the team, without an address', async () => {
    const { id, publicId } = await serviceUserOf(team.id);
    expect(await me(key)).toEqual({
      id: Number(id),
      public_id: publicId,
      email: '',
      first_name: 'Acme Outdoor',
      last_name: '',
      time_zone: 'Tokyo',
      locale: 'ja',
      created_at: team.createdAt.toISOString(),
      updated_at: team.updatedAt.toISOString(),
      memberships: [],
    });
    expect(await me(await factories.apiKey(gateway.app, { teamId: team.id }))).toEqual(await me(key));
  });

  test('for a client that acts for itself, that service user too', async () => {
    const { clientSecret: _, ...client } = await factories.oauthClient(gateway.app, { teamId: team.id });
    const claims = ownClaimsOf(gateway.app, client, 'contacts:read');
    await issue(gateway.app, claims, null);
    expect(await me(bearer(await sign(gateway.app, claims)))).toEqual(await me(key));
  });

  test('for the token of a person, that person, on hosts of the team as well', async () => {
    const { id, publicId, createdAt } = await factories.user(gateway.app, {
      email: 'Grace@example.com',
      name: '  Grace  Brewster Hopper ',
      timeZone: 'Eastern Time (US & Canada)',
    });
    const grant = await oauthGrant(gateway.app, { teamId: team.id, userId: id, scopes: ['contacts:read'] });
    const caller = await bearerOf(gateway.app, grant);
    const grace = await me(caller);
    expect(grace).toMatchObject({
      id: Number(id),
      public_id: publicId,
      email: 'Grace@example.com',
      first_name: 'Grace',
      last_name: 'Brewster Hopper',
      time_zone: 'Eastern Time (US & Canada)',
      locale: null,
      created_at: createdAt.toISOString(),
    });
    for (const host of ['acme.localhost', 'shop.localhost']) expect(await me(caller, host)).toEqual(grace);
  });

  test.each([
    ['Ada', 'Ada', ''],
    ['Ada Lovelace', 'Ada', 'Lovelace'],
    ['\u00a0李\u3000小龙', '李', '小龙'],
  ])('of a person called %j the first and the last name', async (name, first, last) => {
    const { id } = await factories.user(gateway.app, { name });
    const grant = await oauthGrant(gateway.app, { teamId: team.id, userId: id });
    expect(await me(await bearerOf(gateway.app, grant))).toMatchObject({
      first_name: first,
      last_name: last,
    });
  });

  test('nobody on the host of another team, for either kind of credential', async () => {
    const person = await bearerOf(gateway.app, await oauthGrant(gateway.app, { teamId: team.id }));
    for (const caller of [key, person]) {
      const options = { caller, host: 'theirs.localhost' };
      await expectProblem(await gateway.send('/api/v2/me', options), 'not_found');
      const { data, errors } = await post(gateway, { query: QUERY }, options);
      expect([data, errors]).toEqual([{ viewer: { user: null } }, undefined]);
    }
  });

  test('nobody without credentials: the challenge has no scope', async () => {
    for (const [caller, error] of [
      [anonymous, 'insufficient_scope'],
      [{ authorization: 'Bearer fgw_none' }, 'invalid_token'],
    ] as const) {
      const rest = await gateway.send('/api/v2/me', { caller });
      await expectProblem(rest, 'unauthenticated');
      const graphql = await post(gateway, { query: QUERY }, { caller });
      for (const { headers, status } of [rest, graphql.response])
        expect([status, headers.get('WWW-Authenticate')]).toEqual([
          401,
          `Bearer realm="Service API v2", error="${error}", resource_metadata="http://localhost:4000/.well-known/oauth-protected-resource"`,
        ]);
    }
  });
});

describe('the users of a team', () => {
  type Listed = { readonly id: number; readonly email: string }[];
  const read = async (caller: Caller, path: string, host = 'localhost:4000') =>
    gateway.send(path, { caller, host });
  const list = async (caller: Caller, query = '', host?: string) =>
    json<Listed>(await read(caller, `/api/v2/users${query}`, host));

  test('are its service user and its members; those of other teams are not found', async () => {
    const { id: teamId } = await factories.team(gateway.app, { subdomain: 'people' });
    const { subdomain } = await factories.workspace(gateway.app, { teamId });
    const service = await serviceUserOf(teamId);
    const people = [
      await factories.user(gateway.app, { teamId }),
      await factories.user(gateway.app, { teamId, role: 'member' }),
    ];
    const stranger = await factories.user(gateway.app, { teamId: team.id });
    const caller = await factories.apiKey(gateway.app, { teamId, scopes: ['account:read'] });
    const all = [service, ...people].map(({ id }) => Number(id));
    expect((await list(caller)).map(({ id }) => id)).toEqual(all);
    expect((await list(caller, '?sort_order=desc')).map(({ id }) => id)).toEqual(all.toReversed());
    for (const order of ['', '&sort_property=updated_at', '&sort_property=created_at']) {
      const first = await read(caller, `/api/v2/users?per_page=1${order}`);
      const [one] = await json<Listed>(first);
      const next = await list(caller, `?after=${one?.id}&per_page=100${order}`);
      expect([one, ...next].map((user) => user?.id).toSorted()).toEqual(all.toSorted());
      expect(first.headers.get('Pagination-Next')).toBe(String(one?.id));
    }
    for (const { id, publicId, email } of people)
      for (const ref of [id, publicId])
        expect(await json(await read(caller, `/api/v2/users/${ref}`))).toMatchObject({ email });
    await expectProblem(await read(caller, `/api/v2/users/${stranger.id}`), 'not_found');
    await expectProblem(await read(key, '/api/v2/users'), 'insufficient_scope');
    await expectProblem(await read(key, `/api/v2/users/${people[0]?.id}`), 'insufficient_scope');
    // Where a workspace is served, nobody but the caller.
    const host = `${subdomain}.localhost`;
    expect((await list(caller, '', host)).map(({ id }) => id)).toEqual(all.slice(0, 1));
    await expectProblem(await read(caller, `/api/v2/users/${people[0]?.id}`, host), 'not_found');
    expect(await list(caller, '', 'theirs.localhost')).toEqual([]);
  });

  test('are the same over GraphQL: by any id, in the team’s list, with pages, counts and an order', async () => {
    const { id: teamId } = await factories.team(gateway.app, { subdomain: 'crew' });
    const { subdomain } = await factories.workspace(gateway.app, { teamId });
    for (const role of ['admin', 'member'] as const) await factories.user(gateway.app, { teamId, role });
    const stranger = await factories.user(gateway.app, { teamId: team.id });
    const caller = await factories.apiKey(gateway.app, { teamId, scopes: ['account:read'] });
    const weak = await factories.apiKey(gateway.app, { teamId, scopes: ['contacts:read'] });
    const all = await list(caller);
    const ask = async (query: string, asking: Parameters<typeof post>[2] = { caller }) => {
      const { data, errors } = await post(gateway, { query }, asking);
      return { data, codes: errors?.map(({ extensions }) => extensions.code) };
    };
    const usersOf = (args: string, selection: string) =>
      `{ team(by: { databaseId: ${teamId} }) { users${args} { ${selection} } } }`;
    const whole = `totalCount nodes { id: databaseId email: emailAddress }`;

    const nodes = all.map(({ id, email }) => ({ id, email }));
    expect(await ask(usersOf('', whole))).toMatchObject({
      data: { team: { users: { totalCount: all.length, nodes } } },
    });
    const ends = 'nodes { databaseId } pageInfo { hasNextPage hasPreviousPage endCursor startCursor }';
    for (const args of [
      '',
      ', orderBy: { field: UPDATED_AT }',
      ', orderBy: { field: CREATED_AT }',
      ', orderBy: { direction: DESC }',
    ]) {
      const seen: unknown[] = [];
      let after = '';
      for (let more = true; more; ) {
        const { data } = await ask(usersOf(`(first: 1${args}${after})`, ends));
        const page = (data as { team: { users: { nodes: object[]; pageInfo: Record<string, string> } } }).team
          .users;
        expect(page.pageInfo['hasPreviousPage']).toBe(seen.length > 0);
        seen.push(...page.nodes);
        after = `, after: "${page.pageInfo['endCursor']}"`;
        more = Boolean(page.pageInfo['hasNextPage']);
      }
      expect(seen).toHaveLength(all.length);
      expect(seen).toEqual(expect.arrayContaining(all.map(({ id }) => ({ databaseId: id }))));
    }

    const [service, person] = all;
    const one = `{ user(by: { databaseId: ${person?.id} }) { email: emailAddress } node(id: "${btoa(`User:${person?.id}`)}") { id } }`;
    expect(await ask(one)).toMatchObject({ data: { user: { email: person?.email }, node: {} } });
    expect(await ask(`{ user(by: { databaseId: ${stranger.id} }) { id } }`)).toEqual({
      data: { user: null },
    });
    // The caller's own needs no scope.
    expect((await ask(`{ user(by: { databaseId: ${service?.id} }) { id } }`, { caller: weak })).codes).toBe(
      undefined,
    );
    expect(await ask(`{ user(by: { databaseId: ${person?.id} }) { id } }`, { caller: weak })).toEqual({
      data: { user: null },
      codes: ['INSUFFICIENT_SCOPE'],
    });
    // Not beside others either.
    const both = `{ own: user(by: { databaseId: ${service?.id} }) { databaseId } other: user(by: { databaseId: ${person?.id} }) { id } }`;
    expect(await ask(both, { caller: weak })).toEqual({
      data: { own: { databaseId: service?.id }, other: null },
      codes: ['INSUFFICIENT_SCOPE'],
    });
    // Where a workspace is served, nobody but the caller.
    const narrowed = { caller, host: `${subdomain}.localhost` };
    expect(await ask(usersOf('', whole), narrowed)).toMatchObject({
      data: { team: { users: { totalCount: 1, nodes: nodes.slice(0, 1) } } },
    });
    expect(await ask(`{ user(by: { databaseId: ${person?.id} }) { id } }`, narrowed)).toEqual({
      data: { user: null },
    });
  });
});

describe('a service user', () => {
  test('is always named like its team', async () => {
    const { id } = await factories.team(gateway.app, { name: 'Before' });
    const before = await serviceUserOf(id);
    await prismaOf(gateway.app.store).team.update({ where: { id }, data: { name: 'After', locale: 'es' } });
    expect(await serviceUserOf(id)).toMatchObject({
      id: before.id,
      firstName: 'After',
      lastName: null,
      locale: 'es',
    });
  });

  test('is not one of the people, and the operator cannot refer to it', async () => {
    const { id, publicId } = await serviceUserOf(team.id);
    const { app } = gateway;
    expect((await users.list(app)).map((user) => user.id)).not.toContain(id);
    expect((await users.list(app, { team: team.id })).map((user) => user.id)).not.toContain(id);
    const missing = { code: 'not_found' };
    await expect(users.disable(app, id)).rejects.toMatchObject(missing);
    await expect(users.enable(app, publicId)).rejects.toMatchObject(missing);
    await expect(users.join(app, publicId, team.id, 'owner')).rejects.toMatchObject(missing);
    await expect(users.setPassword(app, id, 'a long enough password')).rejects.toMatchObject(missing);
  });
});
