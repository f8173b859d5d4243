// The rules of API keys, as the operator meets them.
import { beforeEach, expect, test } from 'vitest';
import { statusOf } from '../../../src/services/accounts/api-keys.ts';
import { create, list, revoke, rotate } from '../../../src/services/operator/api-keys.ts';
import * as factories from '../../support/factories.ts';
import { ownGateway } from '../../support/gateway.ts';
import { prismaOf } from '../../support/prisma.ts';

const DAY_MS = 86_400_000;
let now: Date;
let team: bigint;

const gateway = await ownGateway({ overrides: { clock: () => now } });
beforeEach(async () => {
  now = new Date('2026-05-01T12:00:00Z');
  team = (await factories.team(gateway.app)).id;
});

const make = (input: Partial<Parameters<typeof create>[1]> = {}) =>
  create(gateway.app, { team, scopes: ['account:read'], ...input });

async function answerTo(token: string): Promise<number> {
  return (await gateway.send('/api/v2/teams', { caller: { authorization: `Bearer ${token}` } })).status;
}

const later = (ms: number) => new Date(now.getTime() + ms);

test('only the hash of a key is stored', async () => {
  const { apiKey, token } = await make();
  const row = await prismaOf(gateway.app.store).apiKey.findUniqueOrThrow({ where: { id: apiKey.id } });
  expect(Buffer.from(row.tokenHash).toString('latin1')).not.toContain(token);
  expect(token.startsWith(row.hint)).toBe(true);
  expect(row.hint.length).toBeLessThan(10);
  expect(
    JSON.stringify(apiKey, (_, value) => (typeof value === 'bigint' ? Number(value) : value)),
  ).not.toContain('tokenHash');
});

test('scopes must exist, and at least one is required; repeated ones count once', async () => {
  expect((await make({ scopes: ['read', 'read', 'write'] })).apiKey.scopes).toEqual(['read', 'write']);
  await expect(make({ scopes: [] })).rejects.toMatchObject({
    code: 'invalid',
    errors: [{ field: 'scopes' }],
  });
  await expect(make({ scopes: ['admin'] })).rejects.toThrow(/Unknown scope admin.*contacts:read/);
});

test.each([' ', 'x'.repeat(101), 'Export\u001b[2J', 'Bank\u202eexe', 'Ba\u200bnk'])(
  'the name %j is refused',
  async (name) => {
    await expect(make({ name })).rejects.toMatchObject({ code: 'invalid', errors: [{ field: 'name' }] });
  },
);

test('an expiry must be in the future, and ends the key then', async () => {
  for (const expiresAt of [now, later(-1), new Date(Number.NaN), new Date('+100000-01-01')])
    await expect(make({ expiresAt })).rejects.toMatchObject({ errors: [{ field: 'expires_at' }] });
  const { apiKey, token } = await make({ expiresAt: later(DAY_MS) });
  expect(await answerTo(token)).toBe(200);
  now = later(DAY_MS);
  expect(await answerTo(token)).toBe(401);
  expect(statusOf(apiKey, now)).toBe('expired');
});

test('a team has one active default key', async () => {
  const first = await make({ isDefault: true });
  await expect(make({ isDefault: true })).rejects.toMatchObject({ code: 'conflict' });
  const next = await rotate(gateway.app, first.apiKey.id, { overlapMs: DAY_MS });
  expect(next.apiKey.isDefault).toBe(true);
  await revoke(gateway.app, next.apiKey.id);
  expect((await make({ isDefault: true })).apiKey.isDefault).toBe(true);
});

test('of two concurrent default keys, one is refused', async () => {
  const outcomes = await Promise.allSettled([make({ isDefault: true }), make({ isDefault: true })]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find((outcome) => outcome.status === 'rejected')?.reason).toMatchObject({
    code: 'conflict',
  });
});

test('rotating creates a key with the same rights and lifetime; the old key stops at once', async () => {
  const old = await make({ name: 'Export', expiresAt: later(10 * DAY_MS) });
  now = later(3 * DAY_MS);
  const { apiKey, token, replaced } = await rotate(gateway.app, old.apiKey.publicId);
  expect(apiKey).toMatchObject({
    name: 'Export',
    scopes: ['account:read'],
    teamId: team,
    expiresAt: later(10 * DAY_MS),
  });
  expect(replaced).toMatchObject({ id: old.apiKey.id, revokedAt: now });
  expect([await answerTo(old.token), await answerTo(token)]).toEqual([401, 200]);
});

test('with an overlap the old key stays valid for that time, and cannot be rotated twice', async () => {
  const old = await make();
  await rotate(gateway.app, old.apiKey.id, { overlapMs: DAY_MS });
  expect(await answerTo(old.token)).toBe(200);
  await expect(rotate(gateway.app, old.apiKey.id)).rejects.toMatchObject({ code: 'conflict' });
  now = later(DAY_MS);
  expect(await answerTo(old.token)).toBe(401);
  for (const overlapMs of [-1, Number.NaN, 366 * DAY_MS])
    await expect(rotate(gateway.app, old.apiKey.id, { overlapMs })).rejects.toMatchObject({
      code: 'invalid',
    });
});

test('of two concurrent rotations, one is refused', async () => {
  const { apiKey } = await make();
  const outcomes = await Promise.allSettled([rotate(gateway.app, apiKey.id), rotate(gateway.app, apiKey.id)]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('revoking twice keeps the first time, and revoking ends an overlap', async () => {
  const { apiKey } = await make();
  const first = await revoke(gateway.app, apiKey.id);
  now = later(DAY_MS);
  expect(await revoke(gateway.app, apiKey.id)).toEqual(first);
  const old = await make();
  await rotate(gateway.app, old.apiKey.id, { overlapMs: DAY_MS });
  await revoke(gateway.app, old.apiKey.id);
  expect(await answerTo(old.token)).toBe(401);
});

test('the list has one team or all, oldest first, without the keys themselves', async () => {
  const [first, second] = [await make(), await make()];
  const keys = await list(gateway.app, { team });
  expect(keys.map(({ id }) => id)).toEqual([first.apiKey.id, second.apiKey.id]);
  expect((await list(gateway.app)).length).toBeGreaterThan(keys.length);
  await expect(list(gateway.app, { team: 'nobody' })).rejects.toMatchObject({ code: 'not_found' });
});

test('an unknown key is not found', async () => {
  for (const ref of [999_999n, 'QwErTyUi', '1; drop table', '99999999999999999999']) {
    await expect(revoke(gateway.app, ref)).rejects.toMatchObject({ code: 'not_found' });
    await expect(rotate(gateway.app, ref)).rejects.toMatchObject({ code: 'not_found' });
    await expect(make({ team: ref })).rejects.toMatchObject({ code: 'not_found' });
  }
});
