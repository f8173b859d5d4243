// Signing keys: created once, encrypted in the store, rotated without breaking a valid token (src/auth/signing-keys.ts).
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { closeApp, createApp } from '../../src/app.ts';
import { signingKeys, toKid } from '../../src/auth/signing-keys.ts';
import { banner } from '../../src/commands/banner.ts';
import { prepare } from '../../src/commands/serve/prepare.ts';
import type { App } from '../../src/context.ts';
import { list, remove, rotate } from '../../src/services/operator/signing-keys.ts';
import * as factories from '../support/factories.ts';
import { type Caller, createCheckedServer, createGateway, TEST_SECRET_KEY } from '../support/gateway.ts';
import { oauthGrant } from '../support/grants.ts';
import { bearerOf } from '../support/oauth-tokens.ts';
import { prismaOf } from '../support/prisma.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const NEW_SECRET = 'another secret key of tests, of no use either';

let now = NOW;
const others: App[] = [];

const gateway = await createGateway({ overrides: { clock: () => now } });
const { app } = gateway;
beforeEach(async () => {
  now = NOW;
  await prismaOf(app.store).signingKey.deleteMany();
});
afterAll(async () => {
  await Promise.all(others.map(closeApp));
  await gateway.close();
});

/** Another process on the same database. */
function another(secretKeys: readonly string[] = [TEST_SECRET_KEY]): App {
  const databaseUrl = String(app.store.connection.connectionString);
  const other = createApp(
    app.config,
    { databaseUrl, secretKeys: () => secretKeys },
    { log: app.log, clock: () => now },
  );
  others.push(other);
  return other;
}

const inSeconds = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const warnings = () => gateway.logLines.filter((line) => line.includes('no secret key opens'));
const statuses = async () => (await list(app)).map(({ status }) => status);

async function bearers(): Promise<Caller> {
  const { id: teamId } = await factories.team(app);
  const grant = await oauthGrant(app, { teamId, scopes: ['read'], expiresAt: new Date('2027-01-01') });
  return bearerOf(app, grant);
}
const ask = async (caller: Caller) => (await gateway.send('/api/v2/teams', { caller })).status;

test('processes that start at once agree on one key', async () => {
  const made = await Promise.all([app, another(), another(), another()].map(signingKeys));
  expect(new Set(made.map(({ version }) => version)).size).toBe(1);
  expect(await prismaOf(app.store).signingKey.count()).toBe(1);
});

test('the private part is nowhere in the store, and nowhere in what is published', async () => {
  const { active, published } = await signingKeys(app);
  expect(active.privateJwk).toMatchObject({
    kty: 'RSA',
    kid: active.kid,
    alg: 'RS256',
    d: expect.any(String),
  });
  expect(published.map((jwk) => Object.keys(jwk).sort())).toEqual([['alg', 'e', 'kid', 'kty', 'n', 'use']]);
  const [row] = await prismaOf(app.store).signingKey.findMany();
  const sealed = Buffer.from(row?.sealedPrivate ?? []).toString('latin1');
  for (const part of ['d', 'p', 'q'] as const) expect(sealed).not.toContain(active.privateJwk[part]);
  expect(sealed).not.toContain('kty');
});

test('no log line holds a private part', async () => {
  const { active } = await signingKeys(app);
  await rotate(app);
  expect(gateway.logLines.join('\n')).not.toContain(active.privateJwk.d);
});

describe('rotation', () => {
  test('publishes the next key at once, lets it sign after a minute, and keeps the last one until its tokens have expired', async () => {
    const first = await signingKeys(app);
    const old = await bearers();
    const next = await rotate(app);
    expect(next).toMatchObject({ status: 'announced', activeAt: inSeconds(60), retiredAt: null });
    const announced = await signingKeys(app);
    expect(announced.active.kid).toBe(first.active.kid);
    expect(announced.published.map(({ kid }) => kid)).toEqual([first.active.kid, next.kid]);
    expect(announced.version).not.toBe(first.version);

    now = inSeconds(60);
    const switched = await signingKeys(app);
    expect(switched.active.kid).toBe(next.kid);
    expect(switched.published).toHaveLength(2);
    expect(await statuses()).toEqual(['retiring', 'active']);
    expect([await ask(old), await ask(await bearers())]).toEqual([200, 200]);

    now = inSeconds(60 + 86_400 + 60);
    expect((await signingKeys(app)).published.map(({ kid }) => kid)).toEqual([next.kid]);
    expect(await statuses()).toEqual(['active']);
  });

  test('allows one pending key, which can be made to sign at once', async () => {
    const next = await rotate(app);
    await expect(rotate(app)).rejects.toMatchObject({ code: 'conflict' });
    expect(await rotate(app, { now: true })).toMatchObject({
      kid: next.kid,
      status: 'active',
      activeAt: NOW,
    });
    expect((await signingKeys(app)).active.kid).toBe(next.kid);
    expect(await statuses()).toEqual(['retiring', 'active']);
  });

  test('can be immediate, also in a store without keys', async () => {
    expect((await rotate(app, { now: true })).status).toBe('active');
  });

  test('deletes keys that were retired long ago', async () => {
    await rotate(app, { now: true });
    now = inSeconds(3 * 86_400);
    await rotate(app);
    expect(await prismaOf(app.store).signingKey.count()).toBe(2);
  });

  test('by two processes at once creates one key', async () => {
    await signingKeys(app);
    const results = await Promise.allSettled([rotate(app), rotate(another())]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await prismaOf(app.store).signingKey.count()).toBe(2);
  });
});

describe('removing a key', () => {
  test('makes the tokens that it signed invalid at once', async () => {
    const { active } = await signingKeys(app);
    const caller = await bearers();
    await rotate(app, { now: true });
    expect(await ask(caller)).toBe(200);
    await remove(app, active.kid);
    expect(await ask(caller)).toBe(401);
  });

  test('is refused for the active key and for an unknown one', async () => {
    const { active } = await signingKeys(app);
    await expect(remove(app, active.kid)).rejects.toMatchObject({ code: 'conflict' });
    await expect(remove(app, 'unknown')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a new secret key', () => {
  test('together with the old one, opens keys that the old one sealed', async () => {
    const { active } = await signingKeys(app);
    expect((await signingKeys(another([NEW_SECRET, TEST_SECRET_KEY]))).active.kid).toBe(active.kid);
  });

  test('alone creates no key next to those that it cannot read, and their tokens remain valid', async () => {
    const { active } = await signingKeys(app);
    const caller = await bearers();
    const stranger = another([NEW_SECRET]);
    for (let i = 0; i < 2; i++)
      await expect(signingKeys(stranger)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await prismaOf(app.store).signingKey.count()).toBe(1);
    expect((await signingKeys(app)).active.kid).toBe(active.kid);
    expect(await ask(caller)).toBe(200);
    expect((await list(stranger)).map(({ status }) => status)).toEqual(['sealed']);
  });

  test('alone signs after a rotation, and tokens of earlier keys remain valid', async () => {
    await signingKeys(app);
    const caller = await bearers();
    const stranger = another([NEW_SECRET]);
    const { kid } = await rotate(stranger, { now: true });
    expect((await signingKeys(stranger)).active.kid).toBe(kid);
    expect(await ask(caller)).toBe(200);
  });

  test('alone causes a warning at the start, in the log and in the banner', async () => {
    await signingKeys(app);
    const start = (started: App) =>
      prepare({ app: started, embedded: null }, { demo: false, migrate: true }, AbortSignal.timeout(60_000));
    const facts = { demoPerson: null, demoCode: null, networkAddresses: [], metricsPort: null, port: 4000 };
    const said = async (started: App) =>
      banner({ ...facts, config: started.config, ...(await start(started)) });
    expect(await said(another())).not.toContain('SECRET_KEY');
    expect(await said(another([NEW_SECRET]))).toContain('SECRET_KEY is not the one of this store');
    const lines = gateway.logLines.filter((line) => line.includes('SECRET_KEY is not the one'));
    expect(lines).toEqual([expect.stringContaining('"level":"error"')]);
  });

  test('alone causes one warning for each key, however often the keys are read', async () => {
    const { active } = await signingKeys(app);
    const stranger = another([NEW_SECRET]);
    for (let i = 0; i < 3; i++) await signingKeys(stranger).catch(() => {});
    await list(stranger);
    expect(warnings().filter((line) => line.includes(active.kid))).toHaveLength(1);
  });
});

describe('the private parts', () => {
  test('are not read by a process that only verifies tokens, whatever its secret key', async () => {
    const caller = await bearers();
    const blind = another([NEW_SECRET]);
    const { keyring } = blind;
    keyring.open = () => {
      throw new Error('A private key was opened.');
    };
    const before = warnings().length;
    const request = new Request('http://localhost:4000/api/v2/teams', {
      headers: { authorization: caller.authorization ?? '' },
    });
    expect((await createCheckedServer(blind).fetch(request)).status).toBe(200);
    expect(warnings()).toHaveLength(before);
    expect(await prismaOf(app.store).signingKey.count()).toBe(1);
  });

  test('are decrypted once, by the process that signs', async () => {
    await signingKeys(app);
    const second = another();
    const open = vi.spyOn(second.keyring, 'open');
    const views = [await signingKeys(second), await signingKeys(second)];
    expect(open).toHaveBeenCalledTimes(1);
    expect(views[0]?.published).toBe(views[1]?.published);
  });
});

test('no key id begins with a hyphen, and no two thumbprints have the same id', () => {
  const base64url = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'];
  const thumbprint = fc.string({ unit: fc.constantFrom(...base64url), minLength: 43, maxLength: 43 });
  const any = fc.oneof(
    thumbprint,
    thumbprint.map((text) => `-${text.slice(1)}`),
  );
  fc.assert(
    fc.property(any, any, (one, other) => {
      expect(toKid(one)).toMatch(/^\w[\w-]+$/);
      expect(toKid(one) === toKid(other)).toBe(one === other);
    }),
  );
});
