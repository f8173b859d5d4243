// Signing in: the answers, the limits on attempts, and what the answers do not reveal.
import { createHook } from 'node:async_hooks';
import { getEventListeners } from 'node:events';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { networkKey } from '../../src/services/limits/throttle.ts';
import * as users from '../../src/services/operator/users.ts';
import { rememberDevice } from '../../src/services/sign-in/devices.ts';
import { hashPassword } from '../../src/services/sign-in/passwords.ts';
import { signIn } from '../../src/services/sign-in/sign-in.ts';
import { countTry } from '../../src/store/accounts/sign-in-failures.ts';
import { findAccount } from '../../src/store/accounts/users.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';

const MINUTE_MS = 60_000;
const WRONG = { code: 'unauthenticated', message: 'E-mail address or password is wrong.' };
const TOO_MANY = { code: 'too_many_requests', retryAfterSeconds: expect.any(Number) };
let now: Date;
let email: string;
let id: bigint;
let networks = 0;
let address: string;

const gateway = await ownGateway({ overrides: { clock: () => now } });
beforeEach(async () => {
  now = new Date('2026-05-01T12:00:00Z');
  ({ email, id } = await factories.user(gateway.app));
  address = `10.0.0.${networks++}`;
  await prismaOf(gateway.app.store).signInFailure.deleteMany();
});

const attempt = (input: Partial<Parameters<typeof signIn>[1]> = {}) =>
  signIn(gateway.app, { email, password: factories.PASSWORD, address, ...input });
const fail = (input: Partial<Parameters<typeof signIn>[1]> = {}) =>
  attempt({ password: 'not the password', ...input }).then(
    () => 'signed in',
    ({ code }: { code: string }) => code,
  );
const person = () => prismaOf(gateway.app.store).user.findUniqueOrThrow({ where: { id } });
/** This many failures, from as many addresses. */
async function failOften(times: number, input: Partial<Parameters<typeof signIn>[1]> = {}): Promise<void> {
  for (let i = 0; i < times; i++)
    expect(await fail({ address: `10.1.${networks++}.${i}`, ...input })).toBe('unauthenticated');
}

test('the right password signs in, in any letter case of the address; the hash is not returned', async () => {
  const user = await attempt({ email: ` ${email.toUpperCase()} ` });
  expect(user).toMatchObject({ id, email });
  expect(user).not.toHaveProperty('passwordHash');
});

test('an unknown account, a wrong password and a disabled person get the same answer', async () => {
  await expect(attempt({ password: 'wrong' })).rejects.toMatchObject(WRONG);
  await expect(attempt({ password: '' })).rejects.toMatchObject(WRONG);
  for (const unknown of ['nobody@example.com', 'no address', '', 'nul\0@example.com', '\ud800@x'])
    await expect(attempt({ email: unknown })).rejects.toMatchObject(WRONG);
  const { email: disabled } = await factories.user(gateway.app, { disabledAt: now });
  await expect(attempt({ email: disabled })).rejects.toMatchObject(WRONG);
});

test('an address with a NUL is unknown, and not the account without it', async () => {
  await expect(attempt({ email: email.replace('@', '\0@') })).rejects.toMatchObject(WRONG);
});

test('a password of any length is answered', async () => {
  await expect(attempt({ password: 'x'.repeat(100_000) })).rejects.toMatchObject(WRONG);
});

test('an unknown account costs the same as an existing one: one hash with the same parameters (passwords.test.ts)', async () => {
  const hashesOf = async (input: { email: string }) => {
    const begun: string[] = [];
    const hook = createHook({ init: (_id, type) => void begun.push(type) }).enable();
    await fail(input);
    hook.disable();
    return begun.filter((type) => type === 'ARGON2REQUEST').length;
  };
  const passwordHash = await hashPassword(factories.PASSWORD);
  await prismaOf(gateway.app.store).user.update({ where: { id }, data: { passwordHash } });
  expect(await hashesOf({ email: 'nobody-at-all@example.com' })).toBe(1);
  expect(await hashesOf({ email })).toBe(1);
});

describe('guessing at one account', () => {
  test('from one network is refused after ten failures, even with the right password, and then for a while', async () => {
    await failOften(10, { address });
    await expect(attempt()).rejects.toMatchObject({ ...TOO_MANY, retryAfterSeconds: 900 });
    now = new Date(now.getTime() + 14 * MINUTE_MS);
    await expect(attempt()).rejects.toMatchObject({ ...TOO_MANY, retryAfterSeconds: 60 });
    now = new Date(now.getTime() + MINUTE_MS);
    expect(await attempt()).toMatchObject({ id });
  });

  test('from elsewhere does not lock out its owner: after ten wrong passwords the right one still works', async () => {
    await failOften(10, { address: '10.9.0.1' });
    expect(await fail({ address: '10.9.0.1' })).toBe('too_many_requests');
    await failOften(20);
    expect(await attempt()).toMatchObject({ id });
  });

  test('from many networks is refused after a hundred failures, and one network has ten of them at most', async () => {
    for (let i = 0; i < 30; i++) await fail({ address: '10.9.0.2' });
    await failOften(90);
    await expect(attempt()).rejects.toMatchObject(TOO_MANY);
    now = new Date(now.getTime() + 15 * MINUTE_MS);
    expect(await attempt()).toMatchObject({ id });
  });

  test('is refused in the same way for an unknown account, in any letter case', async () => {
    await failOften(10, { email: 'ghost@example.com', address });
    await expect(attempt({ email: 'GHOST@example.com' })).rejects.toMatchObject(TOO_MANY);
    // As after ninety more from elsewhere: each would cost a password's work.
    await prismaOf(gateway.app.store).signInFailure.updateMany({ data: { failures: 100 } });
    const elsewhere = '10.9.0.3';
    await expect(attempt({ email: 'GHOST@example.com', address: elsewhere })).rejects.toMatchObject(TOO_MANY);
    expect(await fail({ email: 'spirit@example.com', address: elsewhere })).toBe('unauthenticated');
  });

  test('counts every spelling that PostgreSQL takes for the same address as one', async () => {
    const { email: plain } = await factories.user(gateway.app, { email: 'ida.kirk@example.com' });
    const spellings = [
      plain,
      plain.toUpperCase(),
      plain.replace('i', '\u0130'),
      plain.replace('k', '\u212a'),
    ];
    const accounts = await Promise.all(spellings.map((spelling) => findAccount(gateway.app.store, spelling)));
    const same = accounts.filter(({ user }) => user !== null);
    expect(same.length).toBeGreaterThanOrEqual(2);
    expect(new Set(same.map(({ canonical }) => canonical)).size).toBe(1);
  });

  test('counts many concurrent attempts as many, before any password is checked', async () => {
    const outcomes = await Promise.all(Array.from({ length: 25 }, () => fail()));
    expect(outcomes.filter((code) => code === 'unauthenticated')).toHaveLength(10);
    expect(outcomes.filter((code) => code === 'too_many_requests')).toHaveLength(15);
  });

  test('starts anew once the person has signed in, and locks out nobody else', async () => {
    await failOften(9, { address });
    await attempt();
    await failOften(10, { address });
    const { email: other } = await factories.user(gateway.app);
    expect(await attempt({ email: other })).toMatchObject({ email: other });
  });

  test('continues counting for all networks when its owner signs in', async () => {
    await failOften(99);
    expect(await attempt()).toMatchObject({ id });
    expect(await fail({ address: '10.9.0.4' })).toBe('unauthenticated');
    await expect(attempt()).rejects.toMatchObject(TOO_MANY);
  });
});

describe('a recognized device', () => {
  let devices: string;
  beforeEach(async () => {
    devices = rememberDevice(gateway.app, await attempt(), '', now);
  });

  test('lets its person sign in while the account and the network are under attack', async () => {
    await failOften(100);
    await expect(attempt({ address: '10.9.1.1' })).rejects.toMatchObject(TOO_MANY);
    expect(await attempt({ address: '10.9.1.1', devices })).toMatchObject({ id });
    await fail();
    for (let i = 0; i < 20; i++) await fail({ address: '10.9.1.2' });
    expect(await attempt({ address: '10.9.1.2', devices })).toMatchObject({ id });
  });

  test('is worthless without the password, and has ten attempts of its own: then it is as any other', async () => {
    await failOften(10, { devices });
    expect(await attempt({ devices })).toMatchObject({ id });
    await failOften(10, { devices });
    await failOften(90);
    await expect(attempt({ devices })).rejects.toMatchObject(TOO_MANY);
    const other = rememberDevice(gateway.app, { publicId: (await person()).publicId }, '', now);
    expect(await attempt({ devices: other })).toMatchObject({ id });
  });

  test('does not lift the limit of its network', async () => {
    for (let i = 0; i < 50; i++) await fail();
    await expect(attempt({ devices })).rejects.toMatchObject(TOO_MANY);
  });

  test('is bound to this account, signed by this server, and valid for 180 days', async () => {
    const { publicId } = await factories.user(gateway.app);
    const [own = '', mac = ''] = devices.split(/\.(?=[^.]*$)/);
    const others = [
      rememberDevice(gateway.app, { publicId }, '', now),
      `${own}.${mac.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))}`,
      rememberDevice(gateway.app, { publicId }, '', now).replace(/^[^.]+/, (await person()).publicId),
      own,
      `${own}.`,
      'x'.repeat(10_000),
      '~'.repeat(10_000),
      '...',
    ];
    await failOften(100);
    for (const other of others) await expect(attempt({ devices: other })).rejects.toMatchObject(TOO_MANY);
    expect(await attempt({ devices })).toMatchObject({ id });
    now = new Date(now.getTime() + 180 * 86_400_000);
    await failOften(100);
    await expect(attempt({ devices })).rejects.toMatchObject(TOO_MANY);
  });

  test('is no longer recognized after a new password', async () => {
    const { passwordHash } = await person();
    now = new Date(now.getTime() + 1_000);
    await users.setPassword(gateway.app, id, 'another long password');
    await prismaOf(gateway.app.store).user.update({ where: { id }, data: { passwordHash } });
    now = new Date(now.getTime() + 1_000);
    await failOften(100);
    await expect(attempt({ devices })).rejects.toMatchObject(TOO_MANY);
    const next = rememberDevice(gateway.app, await person(), devices, now);
    expect(await attempt({ devices: next })).toMatchObject({ id });
  });

  test('may have four people, the last one first', async () => {
    let all = devices;
    for (let i = 0; i < 3; i++)
      all = rememberDevice(gateway.app, await factories.user(gateway.app), all, now);
    await failOften(100);
    expect(await attempt({ devices: all })).toMatchObject({ id });
    const again = rememberDevice(gateway.app, await person(), all, now);
    expect(again.split('~')).toHaveLength(4);
    all = rememberDevice(gateway.app, await factories.user(gateway.app), all, now);
    expect(all.split('~')).toHaveLength(4);
    expect(rememberDevice(gateway.app, await person(), 'not~of~our~making', now)).not.toContain('~');
    await expect(attempt({ devices: all })).rejects.toMatchObject(TOO_MANY);
  });
});

test('password checks are bounded: of hundreds at once the last are asked to come again, and nothing of them is stored', async () => {
  const outcomes = await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      fail({ email: `nobody-${i}@example.com`, address: `10.10.${i}.1` }),
    ),
  );
  const judged = outcomes.filter((code) => code === 'unauthenticated').length;
  expect(judged).toBeGreaterThan(2);
  expect(outcomes.filter((code) => code === 'too_many_requests')).toHaveLength(300 - judged);
  expect(judged).toBeLessThan(300);
  const networks = new Set(
    Array.from({ length: 300 }, (_, i) => networkKey(gateway.app, '', `10.10.${i}.1`)),
  );
  expect(await prismaOf(gateway.app.store).signInFailure.count()).toBe(networks.size + 2 * judged);
});

test('an address longer than any valid one is unknown', async () => {
  await expect(attempt({ email: `${'x'.repeat(50_000)}@example.com` })).rejects.toMatchObject(WRONG);
});

describe('guessing from one address', () => {
  let accounts: string[];
  beforeAll(async () => {
    accounts = [];
    for (let i = 0; i < 60; i++) accounts.push((await factories.user(gateway.app)).email);
  });
  let next = 0;

  /** This many failures, at as many accounts. */
  const spray = (from: string, times: number): Promise<string[]> =>
    Promise.all(
      Array.from({ length: times }, () => fail({ email: accounts[next++ % 60] ?? '', address: from })),
    );

  test('is refused after fifty failures, whatever the account; others go on', async () => {
    const outcomes = await spray(address, 50);
    expect(new Set(outcomes)).toEqual(new Set(['unauthenticated']));
    await expect(attempt()).rejects.toMatchObject(TOO_MANY);
    expect(await attempt({ address: '10.4.0.1' })).toMatchObject({ id });
  });

  test('does not use up an account\u2019s attempts once the address is refused', async () => {
    await spray(address, 50);
    for (let i = 0; i < 20; i++) expect(await fail()).toBe('too_many_requests');
    expect(await attempt({ address: '10.4.0.2' })).toMatchObject({ id });
  });

  test('successful sign-ins from it do not count', async () => {
    for (let i = 0; i < 60; i++) await attempt();
    expect(await fail()).toBe('unauthenticated');
  });

  test('an IPv6 network counts as one address, an IPv4-mapped IPv6 address as its IPv4 address', async () => {
    await spray('2001:db8:1:2::1', 25);
    await spray('2001:0db8:1:2:ffff::', 25);
    await expect(attempt({ address: '2001:DB8:1:2:3:4:5:6' })).rejects.toMatchObject(TOO_MANY);
    expect(await attempt({ address: '2001:db8:1:3::1' })).toMatchObject({ id });
    expect(await attempt({ address: '2001:db8::1:2' })).toMatchObject({ id });
    await spray('::ffff:10.5.0.1', 50);
    await expect(attempt({ address: '10.5.0.1' })).rejects.toMatchObject(TOO_MANY);
    expect(await attempt({ address: '::ffff:10.5.0.2' })).toMatchObject({ id });
  });
});

test('a count belongs to its window and key, and the key is stored only as a hash', async () => {
  const { store } = gateway.app;
  const count = async (key: string) => (await countTry(store, key, now, MINUTE_MS)).count;
  expect([await count('a'), await count('a'), await count('b')]).toEqual([1, 2, 1]);
  now = new Date(now.getTime() + MINUTE_MS);
  expect(await count('a')).toBe(1);
  await fail();
  const rows = await prismaOf(store).signInFailure.findMany();
  expect(rows.every(({ keyHash }) => keyHash.length === 32)).toBe(true);
});

test('attempted passwords and addresses are not logged', async () => {
  await failOften(10);
  await fail();
  await attempt().catch(() => {});
  expect(gateway.logLines.join('')).not.toMatch(/not the password|correct horse|@example\.com/);
});

test('a client that disconnects before its password is checked leaves the queue, without an attempt', async () => {
  const { passwordChecks, store } = gateway.app;
  const abort = new AbortController();
  const places = [await passwordChecks.acquire('other'), await passwordChecks.acquire('other')];
  const leaving = attempt({ password: 'wrong', signal: abort.signal });
  await expect.poll(() => passwordChecks.waiting).toBe(1);
  abort.abort(new Error('gone'));
  await expect(leaving).rejects.toThrow('gone');
  expect(passwordChecks.waiting).toBe(0);
  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  for (const release of places) release();
  expect(await prismaOf(store).signInFailure.findMany({ where: { failures: { gt: 0 } } })).toEqual([]);
});
