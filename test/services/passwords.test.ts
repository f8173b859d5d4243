// Passwords: only their argon2id hash is stored, with parameters that nobody has lowered.
import { expect, test } from 'vitest';
import { DUMMY_HASH, hashPassword, verifyPassword } from '../../src/services/sign-in/passwords.ts';

const PASSWORD = 'correct horse battery staple';

test('a hash is argon2id as a PHC string, with at least the parameters of OWASP', async () => {
  const [, memory, passes, parallelism] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$[\w+/]{22}\$[\w+/]{43}$/.exec(
      await hashPassword(PASSWORD),
    ) ?? [];
  expect(Number(memory)).toBeGreaterThanOrEqual(19_456);
  expect(Number(passes)).toBeGreaterThanOrEqual(2);
  expect(Number(parallelism)).toBe(1);
});

test('the same password has another hash each time, and each verifies this password alone', async () => {
  const [first, second] = [await hashPassword(PASSWORD), await hashPassword(PASSWORD)];
  expect(first).not.toBe(second);
  for (const phc of [first, second]) {
    expect(await verifyPassword(PASSWORD, phc)).toBe(true);
    expect(await verifyPassword(`${PASSWORD} `, phc)).toBe(false);
    expect(await verifyPassword('', phc)).toBe(false);
  }
});

test('hashes from other software and with other parameters are accepted', async () => {
  // From the tests of the reference implementation.
  const phc = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
  expect(await verifyPassword('password', phc)).toBe(true);
  expect(await verifyPassword('differentpassword', phc)).toBe(false);
});

test('a password typed on another keyboard is the same password', async () => {
  const composed = 'Caf\u00e9 au lait, s\u2019il vous pla\u00eet';
  const phc = await hashPassword(composed);
  expect(await verifyPassword(composed.normalize('NFD'), phc)).toBe(true);
});

test('a string other than an argon2id PHC string is an internal error, not a wrong password', async () => {
  for (const phc of [
    '',
    PASSWORD,
    '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ])
    await expect(verifyPassword(PASSWORD, phc)).rejects.toThrow(/PHC/);
});

test('the dummy hash matches no password, and costs as much work as a real one', async () => {
  const real = await hashPassword(PASSWORD);
  const parametersOf = (phc: string) => phc.split('$').slice(0, 4);
  expect(parametersOf(DUMMY_HASH)).toEqual(parametersOf(real));
  expect(DUMMY_HASH).toHaveLength(real.length);
  for (const password of ['', PASSWORD]) expect(await verifyPassword(password, DUMMY_HASH)).toBe(false);
});
