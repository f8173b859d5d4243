// Which credentials are valid, and the error of an invalid one (spec §5 rules 1 and 6, RFC 6750).
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createToken } from '../../src/auth/tokens.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const createdAt = at(-86_400);

let now = NOW;

const gateway = await ownGateway({ overrides: { clock: () => now } });
const teamId = (await factories.team(gateway.app)).id;
const good = await factories.apiKey(gateway.app, { teamId, createdAt });
beforeEach(() => {
  now = NOW;
});

const ask = (authorization: string | null) => gateway.send('/api/v2/teams', { caller: { authorization } });

async function expectRefused(authorization: string | null, detail: string, error: string): Promise<void> {
  const response = await ask(authorization);
  expect((await expectProblem(response, 'unauthenticated')).detail).toBe(detail);
  expect(response.headers.get('WWW-Authenticate')).toContain(`error="${error}"`);
}

test('a request without credentials learns what to send, and nothing of a bad credential', async () => {
  const detail =
    'Credentials missing. Send an API key or an access token as "Authorization: Bearer <credential>".';
  await expectRefused(null, detail, 'insufficient_scope');
});

describe('refuses an Authorization header that is not a bearer credential', () => {
  test.each([
    '',
    'Bearer',
    'Bearer ',
    'Bearer a b',
    'Basic dXNlcjpwYXNz',
    'Digest username="x"',
    'Token abc',
    'Bearer: abc',
    'Bearer\tabc',
    'Bearer abc, Bearer def',
    'Bearer "abc"',
  ])('"%s"', async (header) => {
    await expectRefused(
      header,
      'The Authorization header must be "Bearer", a space, and an API key or an access token.',
      'invalid_token',
    );
  });

  test('a bare key', async () => {
    await expectRefused(
      good.token,
      'The Authorization header must be "Bearer", a space, and an API key or an access token.',
      'invalid_token',
    );
  });
});

test('accepts the scheme in any letter case, with any number of spaces', async () => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
    expect((await ask(`${scheme} ${good.token}`)).status).toBe(200);
  }
});

test('refuses an unknown key, and a key with a typo without asking the store', async () => {
  await expectRefused(`Bearer ${createToken().token}`, 'API key invalid.', 'invalid_token');
  const query = vi.spyOn(gateway.app.store.lookups, 'read');
  await expectRefused(`Bearer ${good.token.slice(0, -1)}`, 'API key invalid.', 'invalid_token');
  await expectRefused('Bearer sk_live_of_another_service', 'API key invalid.', 'invalid_token');
  expect(query).not.toHaveBeenCalled();
  query.mockRestore();
});

describe('expiry and revocation', () => {
  const key = (times: { expiresAt?: Date; revokedAt?: Date }) =>
    factories.apiKey(gateway.app, { teamId, createdAt, ...times });

  test.each([
    ['a second ago', -1],
    ['at this moment', 0],
  ])('a key that was revoked %s is refused', async (_, seconds) => {
    const { authorization } = await key({ revokedAt: at(seconds) });
    await expectRefused(authorization, 'API key revoked.', 'invalid_token');
  });

  test.each([
    ['a second ago', -1],
    ['at this moment', 0],
  ])('a key that expired %s is refused', async (_, seconds) => {
    const { authorization } = await key({ expiresAt: at(seconds) });
    await expectRefused(authorization, 'API key expired.', 'invalid_token');
  });

  test('a key is valid until it is revoked or expires', async () => {
    for (const times of [{ revokedAt: at(60) }, { expiresAt: at(60) }]) {
      const { authorization } = await key(times);
      now = at(59);
      expect((await ask(authorization)).status).toBe(200);
      now = at(60);
      expect((await ask(authorization)).status).toBe(401);
      now = NOW;
    }
  });

  test('reports a key that is both expired and revoked as revoked', async () => {
    const { authorization } = await key({ revokedAt: at(-60), expiresAt: at(-30) });
    await expectRefused(authorization, 'API key revoked.', 'invalid_token');
  });
});

describe('the last use of a key', () => {
  const lastUse = async (id: bigint) =>
    (await prismaOf(gateway.app.store).apiKey.findUniqueOrThrow({ where: { id } })).lastUsedAt;

  test('is written at most once a minute', async () => {
    const key = await factories.apiKey(gateway.app, { teamId, createdAt });
    expect(await lastUse(key.id)).toBeNull();
    for (const [seconds, written] of [
      [0, 0],
      [30, 0],
      [59, 0],
      [60, 60],
      [119, 60],
      [300, 300],
    ] as const) {
      now = at(seconds);
      expect((await ask(key.authorization)).status).toBe(200);
      await vi.waitFor(async () => expect(await lastUse(key.id)).toEqual(at(written)), 60_000);
    }
  });

  test('is not written by a refused key', async () => {
    const key = await factories.apiKey(gateway.app, { teamId, createdAt, revokedAt: at(-1) });
    await ask(key.authorization);
    await gateway.app.store.pool.query('select 1');
    expect(await lastUse(key.id)).toBeNull();
  });

  test('is written without an error by many concurrent requests', async () => {
    const key = await factories.apiKey(gateway.app, { teamId, createdAt });
    const responses = await Promise.all(Array.from({ length: 20 }, () => ask(key.authorization)));
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
    await vi.waitFor(async () => expect(await lastUse(key.id)).toEqual(NOW), 60_000);
    expect(gateway.logLines.filter((line) => line.includes('"level":"warn"'))).toEqual([]);
  });
});
