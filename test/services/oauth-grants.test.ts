// Grants: how they come, end and are listed, and what may be granted at all.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grantable } from '../../src/auth/roles.ts';
import { SCOPES } from '../../src/auth/scopes.ts';
import * as grants from '../../src/services/oauth-grants.ts';
import { completeGrant, findGrantByKey, revokeGrant, saveGrant } from '../../src/store/oauth-grants.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { oauthGrant, tokensOf } from '../support/grants.ts';

let gateway: Gateway;
let teamId: bigint;
let workspaceId: bigint;
beforeAll(async () => {
  gateway = await createGateway();
  const workspace = await factories.workspace(gateway.app);
  teamId = workspace.teamId;
  workspaceId = workspace.id;
});
afterAll(() => gateway.close());

const store = () => gateway.app.store;
const make = (options: Partial<Parameters<typeof oauthGrant>[1]> = {}) =>
  oauthGrant(gateway.app, { teamId, ...options });
const hence = (ms: number) => new Date(Date.now() + ms);
const find = (key: string, at = new Date()) => findGrantByKey(store(), key, at);

/** A record as the authorization server saves it before anybody has consented. */
async function newRecord() {
  const userId = (await factories.user(gateway.app)).id;
  const clientId = (await factories.oauthClient(gateway.app)).id;
  return { key: randomUUID(), userId, clientId, payload: { openid: {} }, expiresAt: hence(60_000) };
}

describe('the record of the authorization server', () => {
  test('is kept under its key, with a public id of its own, and may be replaced', async () => {
    const record = await newRecord();
    await saveGrant(store(), record);
    const first = await find(record.key);
    expect(first).toMatchObject({ ...record, teamId: null, scopes: [] });
    expect(first?.publicId).toMatch(/^[A-Za-z]{6,}$/);
    await saveGrant(store(), { ...record, payload: { more: 1 }, expiresAt: hence(90_000) });
    const second = await find(record.key);
    expect(second).toMatchObject({ id: first?.id, payload: { more: 1 } });
  });

  test('saved by two processes at once is one row', async () => {
    const record = await newRecord();
    await Promise.all(Array.from({ length: 4 }, () => saveGrant(store(), record)));
    expect(await store().prisma.oauthGrant.count({ where: { key: record.key } })).toBe(1);
  });

  test('of a revoked grant is not saved again, and does not come back to life', async () => {
    const { key, userId, clientId } = await make();
    await revokeGrant(store(), { key }, new Date());
    await saveGrant(store(), { key, userId, clientId, payload: { late: true }, expiresAt: hence(60_000) });
    expect(await find(key)).toBeNull();
    const { payload } = await store().prisma.oauthGrant.findUniqueOrThrow({ where: { key } });
    expect(payload).not.toHaveProperty('late');
  });

  test('is found only while it is live: not when expired, nor once its person has left the team', async () => {
    const expiring = await make({ expiresAt: hence(60_000) });
    expect(await find(expiring.key)).not.toBeNull();
    expect(await find(expiring.key, hence(60_001))).toBeNull();
    const left = await make();
    await store().prisma.teamMember.deleteMany({ where: { userId: left.userId } });
    expect(await find(left.key)).toBeNull();
    expect(await find('unknown')).toBeNull();
  });
});

describe('what was chosen', () => {
  test.each([null, 'one'])('is written down: workspaces %s', async (which) => {
    const record = await newRecord();
    await saveGrant(store(), record);
    await store().prisma.teamMember.create({ data: { userId: record.userId, teamId } });
    const workspaceIds = which === null ? null : [workspaceId];
    await completeGrant(store(), record.key, { teamId, workspaceIds, scopes: ['read'] });
    expect(await find(record.key)).toMatchObject({
      teamId,
      wholeTeam: which === null,
      workspaceIds: workspaceIds ?? [],
      scopes: ['read'],
    });
  });

  test('is said once: nothing widens a grant afterwards, nor completes a revoked one', async () => {
    const { key } = await make({ workspaceIds: [workspaceId] });
    const wider = { teamId, workspaceIds: null, scopes: ['write'] };
    await expect(completeGrant(store(), key, wider)).rejects.toMatchObject({ code: 'conflict' });
    const record = await newRecord();
    await saveGrant(store(), record);
    await revokeGrant(store(), { key: record.key }, new Date());
    await expect(completeGrant(store(), record.key, wider)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('is never the empty list of workspaces, which would read as the whole team', async () => {
    const record = await newRecord();
    await saveGrant(store(), record);
    const nothing = { teamId, workspaceIds: [], scopes: ['read'] };
    await expect(completeGrant(store(), record.key, nothing)).rejects.toThrow();
    expect(await find(record.key)).toMatchObject({ teamId: null });
  });
});

describe('revoking', () => {
  test('ends the grant, its access tokens and its refresh tokens, and no others', async () => {
    const [gone, kept] = [await make(), await make()];
    const at = new Date('2030-01-01T00:00:00Z');
    expect(await revokeGrant(store(), { key: gone.key }, at)).toBe(true);
    expect(await tokensOf(gateway.app, gone)).toEqual({ revoked: true, refreshTokens: 0 });
    expect(await tokensOf(gateway.app, kept)).toEqual({ revoked: false, refreshTokens: 1 });
    expect(await find(gone.key)).toBeNull();
    expect(await find(kept.key)).not.toBeNull();
  });

  test('a second time changes nothing, and tells that there is such a grant', async () => {
    const { key } = await make();
    const first = new Date('2030-01-01T00:00:00Z');
    await revokeGrant(store(), { key }, first);
    expect(await revokeGrant(store(), { key }, new Date('2031-01-01T00:00:00Z'))).toBe(true);
    const { revokedAt } = await store().prisma.oauthGrant.findUniqueOrThrow({ where: { key } });
    expect(revokedAt).toEqual(first);
    expect(await revokeGrant(store(), { key: 'unknown' }, first)).toBe(false);
  });

  test('by person, by person and team, or by client takes all of theirs', async () => {
    const other = (await factories.team(gateway.app)).id;
    const { id: userId } = await factories.user(gateway.app);
    const { id: clientId } = await factories.oauthClient(gateway.app);
    const inOther = await make({ userId, teamId: other });
    const here = await make({ userId });
    const ofClient = [await make({ clientId }), await make({ clientId })];
    const live = async (grant: { key: string }) => (await find(grant.key)) !== null;
    await revokeGrant(store(), { userId, teamId }, new Date());
    expect([await live(inOther), await live(here)]).toEqual([true, false]);
    await revokeGrant(store(), { userId }, new Date());
    expect(await live(inOther)).toBe(false);
    await revokeGrant(store(), { clientId }, new Date());
    expect(await Promise.all(ofClient.map(live))).toEqual([false, false]);
  });

  test('at once from many sides ends in one revocation, not in a deadlock', async () => {
    const { id: userId } = await factories.user(gateway.app);
    const many = [await make({ userId }), await make({ userId }), await make({ userId })];
    await Promise.all([
      revokeGrant(store(), { userId }, new Date()),
      ...many.toReversed().map(({ key }) => revokeGrant(store(), { key }, new Date())),
      revokeGrant(store(), { userId, teamId }, new Date()),
    ]);
    for (const grant of many)
      expect(await tokensOf(gateway.app, grant)).toEqual({ revoked: true, refreshTokens: 0 });
  });
});

describe('a person', () => {
  test('sees what they granted and could withdraw, and nobody else’s', async () => {
    const { id: userId } = await factories.user(gateway.app);
    const whole = await make({ userId });
    const some = await make({ userId, workspaceIds: [workspaceId] });
    await make();
    const ended = await make({ userId });
    await revokeGrant(store(), { key: ended.key }, new Date());
    await make({ userId, expiresAt: hence(-1000) });
    // Not consented to yet.
    await saveGrant(store(), { ...(await newRecord()), userId });
    const listed = await grants.listOfUser(gateway.app, userId);
    expect(listed.map(({ publicId }) => publicId)).toEqual([whole.publicId, some.publicId]);
    expect(listed.map(({ workspaces }) => workspaces?.map(({ id }) => id) ?? null)).toEqual([
      null,
      [workspaceId],
    ]);
    expect(
      JSON.stringify(listed, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(whole.key);
  });

  test('sees one entry for a client and a team, with all that was granted, and withdraws all of it at once', async () => {
    const { id: userId } = await factories.user(gateway.app);
    const { id: clientId } = await factories.oauthClient(gateway.app);
    const second = await factories.workspace(gateway.app, { teamId });
    const other = (await factories.team(gateway.app)).id;
    const mine = { userId, clientId };
    const first = await make({ ...mine, workspaceIds: [second.id], scopes: ['funnels:read'] });
    const again = await make({ ...mine, workspaceIds: [workspaceId, second.id], scopes: ['contacts:read'] });
    const kept = [
      await make({ ...mine, teamId: other }),
      await make({ userId }),
      await make({ clientId, scopes: ['write'] }),
    ];
    const [entry, ...rest] = await grants.listOfUser(gateway.app, userId);
    expect(entry).toMatchObject({
      publicId: first.publicId,
      workspaces: [{ id: workspaceId }, { id: second.id }],
      scopes: ['contacts:read', 'funnels:read'],
      createdAt: first.createdAt,
      againAt: again.createdAt,
    });
    expect(rest.map(({ againAt }) => againAt)).toEqual([null, null]);
    const whole = await make(mine);
    expect((await grants.listOfUser(gateway.app, userId))[0]?.workspaces).toBeNull();
    // Any of its grants stands for the entry, one that has ended since the page was shown as well.
    await revokeGrant(store(), { key: again.key }, new Date());
    await grants.withdraw(gateway.app, userId, again.publicId);
    for (const grant of [first, again, whole])
      expect(await tokensOf(gateway.app, grant)).toEqual({ revoked: true, refreshTokens: 0 });
    for (const grant of kept)
      expect(await tokensOf(gateway.app, grant)).toEqual({ revoked: false, refreshTokens: 1 });
    expect(await grants.listOfUser(gateway.app, userId)).toHaveLength(2);
  });

  test('withdraws their own: its tokens end; a second time is no failure', async () => {
    const grant = await make();
    for (const _ of [1, 2]) await grants.withdraw(gateway.app, grant.userId, grant.publicId);
    expect(await tokensOf(gateway.app, grant)).toEqual({ revoked: true, refreshTokens: 0 });
    expect(await grants.listOfUser(gateway.app, grant.userId)).toEqual([]);
  });

  test('cannot withdraw somebody else’s, nor what never was', async () => {
    const [mine, theirs] = [await make(), await make()];
    for (const name of [theirs.publicId, String(mine.id), 'nothing', '', "' or true --"]) {
      await expect(grants.withdraw(gateway.app, mine.userId, name)).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    expect(await tokensOf(gateway.app, theirs)).toEqual({ revoked: false, refreshTokens: 1 });
  });
});

describe('the operator', () => {
  test('lists a team’s grants or all, with their state, and revokes one by either id', async () => {
    const team = await factories.team(gateway.app);
    const [byId, byPublicId] = [await make({ teamId: team.id }), await make({ teamId: team.id })];
    const left = await make({ teamId: team.id });
    await store().prisma.teamMember.deleteMany({ where: { userId: left.userId } });
    const expired = await make({ teamId: team.id, expiresAt: hence(-1000) });
    await grants.revoke(gateway.app, byId.id);
    await grants.revoke(gateway.app, byPublicId.publicId);
    const listed = await grants.list(gateway.app, { team: team.publicId });
    expect(listed.map((grant) => [grant.id, grants.statusOf(grant, new Date())])).toEqual([
      [byId.id, 'revoked'],
      [byPublicId.id, 'revoked'],
      [left.id, 'suspended'],
      [expired.id, 'expired'],
    ]);
    expect((await grants.list(gateway.app)).length).toBeGreaterThan(4);
    await expect(grants.list(gateway.app, { team: 9999n })).rejects.toMatchObject({ code: 'not_found' });
    await expect(grants.revoke(gateway.app, 'nothing')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('sees a grant of a disabled person or client as suspended', async () => {
    const [ofPerson, ofClient] = [await make(), await make()];
    const disabledAt = new Date();
    await store().prisma.user.update({ where: { id: ofPerson.userId }, data: { disabledAt } });
    await store().prisma.oauthClient.update({ where: { id: ofClient.clientId }, data: { disabledAt } });
    const listed = await grants.list(gateway.app, { team: teamId });
    const found = listed.filter(({ id }) => id === ofPerson.id || id === ofClient.id);
    expect(found.map((grant) => grants.statusOf(grant, new Date()))).toEqual(['suspended', 'suspended']);
  });
});

describe('what may be granted', () => {
  const workspaces = [
    { id: 1n, name: 'One' },
    { id: 2n, name: 'Two' },
  ];
  const choose = (
    role: 'owner' | 'admin' | 'member',
    scopes: string[],
    workspaceIds: bigint[] | null = null,
  ) => grants.requireGrantable({ role, workspaces }, { scopes, workspaceIds });

  test('is everything for owners and admins, and nothing that changes the team for members', () => {
    expect([...grantable('owner')]).toEqual(SCOPES);
    expect([...grantable('admin')]).toEqual(SCOPES);
    const withheld = SCOPES.filter((scope) => !grantable('member').has(scope));
    expect(withheld).toEqual(['account:write', 'write']);
  });

  test.each(['account:write', 'write', 'made:up'])('a member cannot grant %s', (scope) => {
    expect(() => choose('member', ['read', scope])).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  test('nothing at all is no choice, and so is a workspace of another team', () => {
    for (const refused of [
      () => choose('owner', []),
      () => choose('owner', ['read'], []),
      () => choose('owner', ['read'], [1n, 3n]),
      () => choose('owner', ['made:up']),
    ]) {
      expect(refused).toThrow(expect.objectContaining({ code: 'invalid' }));
    }
    choose('owner', ['write', 'account:write'], [2n]);
    choose('member', ['read'], null);
  });
});
