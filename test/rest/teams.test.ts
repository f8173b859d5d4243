import { describe, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, sharedGateway } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { post } from '../support/graphql.ts';
import { bearerOf } from '../support/oauth-tokens.ts';
import { expectProblem } from '../support/problem.ts';
import { json } from '../support/walk.ts';

const gateway = await sharedGateway();
const other = await factories.team(gateway.app, { name: 'Another' });
const createdAt = new Date('2026-02-03T04:05:06.007Z');
const team = await factories.team(gateway.app, { name: 'Ours', timeZone: 'Madrid', locale: 'es', createdAt });
const caller = await factories.apiKey(gateway.app, { teamId: team.id });

test('a team has its fields, and the list has the same object', async () => {
  const one = await json(await gateway.send(`/api/v2/teams/${team.id}`, { caller }));
  expect(one).toEqual({
    id: Number(team.id),
    public_id: team.publicId,
    name: 'Ours',
    time_zone: 'Madrid',
    locale: 'es',
    created_at: '2026-02-03T04:05:06.007Z',
    updated_at: team.updatedAt.toISOString(),
    memberships: [],
  });
  expect(await json(await gateway.send('/api/v2/teams', { caller }))).toEqual([one]);
});

/** A team as its audit entries have it: without memberships. */
const recorded = ({ memberships: _, ...fields }: Record<string, unknown>) => fields;

const send = (path: string, body: object, headers = {}, { by = caller as Caller, host = 'localhost' } = {}) =>
  gateway.send(path, {
    ...{ caller: by, host, method: 'PUT', body: JSON.stringify(body) },
    headers: { 'Content-Type': 'application/json', ...headers },
  });

describe('a change of a team', () => {
  const path = `/api/v2/teams/${team.id}`;
  const changed = { name: 'Ours, renamed', time_zone: 'Tokyo', locale: 'ja' };

  test('of one without a workspace is refused, for nothing could record it', async () => {
    await expectProblem(await send(path, { team: changed }), 'conflict');
    expect(await json(await gateway.send(path, { caller }))).toMatchObject({ name: 'Ours' });
  });

  test('obeys If-Match, is recorded once in its first workspace, and is idempotent by its key', async () => {
    const first = await factories.workspace(gateway.app, { teamId: team.id });
    const second = await factories.workspace(gateway.app, { teamId: team.id });
    const before = await gateway.send(path, { caller });
    const etag = before.headers.get('ETag') ?? '';
    const was = await json<{ updated_at: string; memberships: unknown }>(before);
    const key = { 'Idempotency-Key': 'rename' };
    const made = await send(path, { team: changed }, { ...key, 'If-Match': etag });
    expect(made.status).toBe(200);
    const now = await json<{ updated_at: string; memberships: unknown }>(made);
    expect(now).toMatchObject(changed);
    expect(now.updated_at > was.updated_at).toBe(true);
    expect(await json(await gateway.send(path, { caller }))).toEqual(now);
    expect(await json(await send(path, { team: changed }, { ...key, 'If-Match': etag }))).toEqual(now);
    await expectProblem(await send(path, { name: 'Late' }, { 'If-Match': etag }), 'precondition_failed');
    // The same again is no change.
    expect(await json(await send(path, changed))).toEqual(now);
    const entries = (workspace: bigint) =>
      gateway
        .send(`/api/v2/workspaces/${workspace}/audit_entries`, { caller })
        .then((answer) => json(answer));
    expect(await entries(first.id)).toMatchObject([
      {
        action: 'team.updated',
        subject_type: 'Team',
        subject_id: Number(team.id),
        before: recorded(was),
        after: recorded(now),
      },
    ]);
    expect(await entries(second.id)).toEqual([]);
  });

  test('an empty text clears its time zone too', async () => {
    const cleared = await send(path, { team: { time_zone: '' } });
    expect([cleared.status, await json(cleared)]).toEqual([
      200,
      expect.objectContaining({ time_zone: null }),
    ]);
  });

  test('null clears its time zone, and that of its service user', async () => {
    await factories.workspace(gateway.app, { teamId: team.id });
    const cleared = await send(path, { team: { time_zone: null } });
    expect([cleared.status, await json(cleared)]).toEqual([
      200,
      expect.objectContaining({ time_zone: null }),
    ]);
    expect(await json(await gateway.send('/api/v2/me', { caller }))).toMatchObject({ time_zone: null });
    const { data } = await post(
      gateway,
      { query: `{ team(by: { databaseId: ${team.id} }) { timeZone } }` },
      { caller },
    );
    expect(data).toEqual({ team: { timeZone: null } });
    for (const member of ['name', 'locale'])
      expect(await json(await send(path, { team: { [member]: null } }))).toEqual(
        await json(await gateway.send(path, { caller })),
      );
    expect(await json(await send(path, { time_zone: ' Oslo ' }))).toMatchObject({ time_zone: 'Oslo' });
  });

  test('is possible on the host of each of its workspaces, and on no host of others', async () => {
    const mine = await factories.team(gateway.app, { subdomain: 'whole-team' });
    const by = await factories.apiKey(gateway.app, {
      teamId: mine.id,
      scopes: ['account:write', 'account:read'],
    });
    const first = await factories.workspace(gateway.app, { teamId: mine.id });
    const second = await factories.workspace(gateway.app, { teamId: mine.id, subdomain: 'team-part' });
    await factories.customDomain(gateway.app, second.id, 'part.example');
    await factories.workspace(gateway.app, { teamId: other.id, subdomain: 'part-of-another' });
    const path = `/api/v2/teams/${mine.id}`;
    for (const host of ['team-part.localhost', 'part.example', 'whole-team.localhost']) {
      const made = await send(path, { name: `On ${host}` }, {}, { by, host });
      expect([made.status, await json(made)]).toEqual([200, expect.objectContaining({ name: `On ${host}` })]);
      const query = `mutation ($id: ID!, $name: String!) { updateTeam(input: { teamId: $id, name: $name }) { team { name } } }`;
      const variables = { id: btoa(`Team:${mine.id}`), name: `GraphQL on ${host}` };
      const { data } = await post(gateway, { query, variables }, { caller: by, host });
      expect(data).toEqual({ updateTeam: { team: { name: variables.name } } });
    }
    const entries = await gateway.send(`/api/v2/workspaces/${first.id}/audit_entries`, { caller: by });
    expect(await json<object[]>(entries)).toHaveLength(6);
    await expectProblem(
      await send(path, { name: 'No' }, {}, { by, host: 'part-of-another.localhost' }),
      'not_found',
    );
  });

  test('is refused for a credential that is limited to some workspaces, on each host', async () => {
    const mine = await factories.team(gateway.app);
    const workspace = await factories.workspace(gateway.app, { teamId: mine.id, subdomain: 'limited-part' });
    const grantOf = (rest: object) =>
      oauthGrant(gateway.app, { teamId: mine.id, scopes: ['account:write'], ...rest });
    const limited = await bearerOf(
      gateway.app,
      await grantOf({ workspaceIds: [workspace.id], wholeTeam: false }),
    );
    const whole = await bearerOf(gateway.app, await grantOf({}));
    const own = `/api/v2/teams/${mine.id}`;
    for (const host of ['localhost', 'limited-part.localhost']) {
      // Neither whose team it is nor whether the body is good is looked at first.
      for (const [to, body] of [
        [own, { name: 'No' }],
        [own, { name: ' ' }],
        [own, {}],
        [path, { name: 'No' }],
      ] as const) {
        const refused = await send(to, body, {}, { by: limited, host });
        expect(refused.headers.get('WWW-Authenticate')).toContain('insufficient_scope');
        await expectProblem(refused, 'insufficient_scope');
      }
      expect((await send(own, { name: 'Yes' }, {}, { by: whole, host })).status).toBe(200);
    }
  });

  test('needs a scope, and valid values', async () => {
    await factories.workspace(gateway.app, { teamId: team.id });
    for (const [member, value] of Object.entries({
      name: ' ',
      time_zone: 'Tokyo\u202e',
      locale: 'de',
    })) {
      const problem = await expectProblem(await send(path, { team: { [member]: value } }), 'invalid');
      expect(problem.errors?.map(({ field }) => field)).toEqual([member]);
    }
    const others = await factories.apiKey(gateway.app, { teamId: other.id });
    await expectProblem(await send(path, changed, {}, { by: others }), 'not_found');
    const reader = await factories.apiKey(gateway.app, { teamId: team.id, scopes: ['account:read'] });
    await expectProblem(await send(path, changed, {}, { by: reader }), 'insufficient_scope');
  });
});
