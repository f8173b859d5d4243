// Grants as rows: how they are saved, completed and revoked.

import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  completeGrant,
  findGrantByKey,
  revokeGrant,
  saveGrant,
} from '../../src/store/accounts/oauth-grants.ts';
import * as factories from '../support/factories.ts';
import { sharedGateway } from '../support/gateway.ts';
import { oauthGrant, tokensOf } from '../support/grants.ts';
import { prismaOf } from '../support/prisma.ts';

const gateway = await sharedGateway();
const workspace = await factories.workspace(gateway.app);
const teamId = workspace.teamId;
const workspaceId = workspace.id;

const store = () => gateway.app.store;
const make = (options: Partial<Parameters<typeof oauthGrant>[1]> = {}) =>
  oauthGrant(gateway.app, { teamId, ...options });
const hence = (ms: number) => new Date(Date.now() + ms);
const find = (key: string, at = new Date()) => findGrantByKey({ store: store(), clock: () => at }, key);

/** A record as the authorization server saves it before consent. */
async function newRecord() {
  const userId = (await factories.user(gateway.app)).id;
  const clientId = (await factories.oauthClient(gateway.app)).id;
  return { key: randomUUID(), userId, clientId, payload: { openid: {} }, expiresAt: hence(60_000) };
}

describe('the record of the authorization server', () => {
  test('is stored under its key, with its own public id, and can be replaced', async () => {
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
    expect(await prismaOf(store()).oauthGrant.count({ where: { key: record.key } })).toBe(1);
  });

  test('of a revoked grant is not saved again, and does not come back to life', async () => {
    const { key, userId, clientId } = await make();
    await revokeGrant(store(), { key }, new Date());
    await saveGrant(store(), { key, userId, clientId, payload: { late: true }, expiresAt: hence(60_000) });
    expect(await find(key)).toBeNull();
    const { payload } = await prismaOf(store()).oauthGrant.findUniqueOrThrow({ where: { key } });
    expect(payload).not.toHaveProperty('late');
  });

  test('is found only while it is active: not if it has expired, nor once its person has left the team', async () => {
    const expiring = await make({ expiresAt: hence(60_000) });
    expect(await find(expiring.key)).not.toBeNull();
    expect(await find(expiring.key, hence(60_001))).toBeNull();
    const left = await make();
    await prismaOf(store()).teamMember.deleteMany({ where: { userId: left.userId } });
    expect(await find(left.key)).toBeNull();
    expect(await find('unknown')).toBeNull();
  });
});

describe('the choice of a person', () => {
  test.each([null, 'one'])('is written down: workspaces %s', async (which) => {
    const record = await newRecord();
    await saveGrant(store(), record);
    await prismaOf(store()).teamMember.createMany({ data: [{ userId: record.userId, teamId }] });
    const workspaceIds = which === null ? null : [workspaceId];
    await completeGrant({ store: store() }, record.key, { teamId, workspaceIds, scopes: ['read'] });
    expect(await find(record.key)).toMatchObject({
      teamId,
      wholeTeam: which === null,
      workspaceIds: workspaceIds ?? [],
      scopes: ['read'],
    });
  });

  test('is final: nothing widens a grant afterwards, or completes a revoked one', async () => {
    const { key } = await make({ workspaceIds: [workspaceId] });
    const wider = { teamId, workspaceIds: null, scopes: ['write'] };
    await expect(completeGrant({ store: store() }, key, wider)).rejects.toMatchObject({ code: 'conflict' });
    const record = await newRecord();
    await saveGrant(store(), record);
    await revokeGrant(store(), { key: record.key }, new Date());
    await expect(completeGrant({ store: store() }, record.key, wider)).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  test('is never the empty list of workspaces, which would mean the complete team', async () => {
    const record = await newRecord();
    await saveGrant(store(), record);
    const nothing = { teamId, workspaceIds: [], scopes: ['read'] };
    await expect(completeGrant({ store: store() }, record.key, nothing)).rejects.toThrow();
    expect(await find(record.key)).toMatchObject({ teamId: null });
  });
});

describe('revoking', () => {
  test('ends the grant, its access tokens and its refresh tokens, and no others', async () => {
    const [gone, kept] = [await make(), await make()];
    const at = new Date('2030-01-01T00:00:00Z');
    await revokeGrant(store(), { key: gone.key }, at);
    expect(await tokensOf(gateway.app, gone)).toEqual({ revoked: true, refreshTokens: 0 });
    expect(await tokensOf(gateway.app, kept)).toEqual({ revoked: false, refreshTokens: 1 });
    expect(await find(gone.key)).toBeNull();
    expect(await find(kept.key)).not.toBeNull();
  });

  test('a second time changes nothing', async () => {
    const { key } = await make();
    const first = new Date('2030-01-01T00:00:00Z');
    await revokeGrant(store(), { key }, first);
    await revokeGrant(store(), { key }, new Date('2031-01-01T00:00:00Z'));
    const { revokedAt } = await prismaOf(store()).oauthGrant.findUniqueOrThrow({ where: { key } });
    expect(revokedAt).toEqual(first);
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

  test('by many processes at once ends in one revocation, not in a deadlock', async () => {
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
