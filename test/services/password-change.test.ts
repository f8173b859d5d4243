// People change their own password: the requirements, the sessions that end, and the limit on guesses of the current one.
import { beforeEach, expect, test } from 'vitest';
import * as users from '../../src/services/operator/users.ts';
import { changePassword, type PasswordChange } from '../../src/services/sign-in/password-change.ts';
import { loginTsNow, personOf, type SignedIn } from '../../src/services/sign-in/sessions.ts';
import { signIn } from '../../src/services/sign-in/sign-in.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { prismaOf } from '../support/prisma.ts';

const NEXT = 'another long password';
let now: Date;
let person: { id: bigint; publicId: string; email: string };
let session: SignedIn;

const gateway = await ownGateway({ overrides: { clock: () => now } });
beforeEach(async () => {
  now = new Date('2026-05-01T12:00:00Z');
  await prismaOf(gateway.app.store).signInFailure.deleteMany();
  person = await factories.user(gateway.app);
  session = { accountId: person.publicId, loginTs: loginTsNow(gateway.app) };
});

const change = (input: Partial<PasswordChange> = {}, by: SignedIn = session) => {
  const password = input.password ?? NEXT;
  const given = { current: factories.PASSWORD, again: password, address: '10.0.0.1', ...input, password };
  return changePassword(gateway.app, by, given);
};
const canSignIn = (password: string, address = '10.0.0.2') =>
  signIn(gateway.app, { email: person.email, password, address }).then(
    () => true,
    () => false,
  );
const isAlive = async (one: SignedIn) => (await personOf(gateway.app, one)) !== null;

test('the new password signs in, the old one does not; this browser stays signed in, all others are signed out', async () => {
  const elsewhere = { ...session, loginTs: (session.loginTs ?? 0) - 60 };
  const { user, loginTs } = await change();
  expect(user.publicId).toBe(person.publicId);
  expect([await canSignIn(NEXT), await canSignIn(factories.PASSWORD)]).toEqual([true, false]);
  expect(await Promise.all([elsewhere, session, { ...session, loginTs }].map(isAlive))).toEqual([
    false,
    false,
    true,
  ]);
});

test.each<[string, Partial<PasswordChange>, string]>([
  ['is too short', { password: 'x'.repeat(11) }, 'password'],
  ['is too long', { password: 'x'.repeat(201) }, 'password'],
  ['is the one that it was', { password: factories.PASSWORD }, 'password'],
  ['was not typed twice', { again: `${NEXT}.` }, 'again'],
])('a new password that %s is refused, and nothing is tried or changed', async (_, input, field) => {
  await expect(change(input)).rejects.toMatchObject({ code: 'invalid', errors: [{ field }] });
  expect(await prismaOf(gateway.app.store).signInFailure.count()).toBe(0);
  expect([await isAlive(session), await canSignIn(factories.PASSWORD)]).toEqual([true, true]);
});

test('a new password that is the e-mail address is refused', async () => {
  await expect(change({ password: person.email.toUpperCase() })).rejects.toMatchObject({ code: 'invalid' });
});

test('without the current password nothing is changed, and too many guesses must wait, as at sign-in', async () => {
  for (let i = 0; i < 10; i++)
    await expect(change({ current: 'not the password' })).rejects.toMatchObject({
      code: 'invalid',
      errors: [{ field: 'current' }],
    });
  const tooMany = { code: 'too_many_requests', retryAfterSeconds: 900 };
  await expect(change()).rejects.toMatchObject(tooMany);
  expect(await canSignIn(factories.PASSWORD, '10.0.0.1')).toBe(false);
  expect([await canSignIn(factories.PASSWORD), await canSignIn(NEXT)]).toEqual([true, false]);
});

test.each<[string, () => Promise<unknown>]>([
  ['a new password', () => users.setPassword(gateway.app, person.id, factories.PASSWORD)],
  ['disabling', () => users.disable(gateway.app, person.id)],
  [
    'time',
    async () => {
      now = new Date(now.getTime() + 12 * 3_600_000);
    },
  ],
])('a session that was ended by %s changes nothing', async (_, end) => {
  await end();
  await expect(change()).rejects.toMatchObject({ code: 'unauthenticated' });
  expect(await canSignIn(NEXT)).toBe(false);
});

test('a person who is not signed in changes nothing', async () => {
  await expect(change({}, {})).rejects.toMatchObject({ code: 'unauthenticated' });
});

test('of two concurrent changes, by the same session or by two, one succeeds', async () => {
  const results = await Promise.allSettled([
    change({ password: 'the first new password' }),
    change({ password: 'the second new password', address: '10.0.0.9' }),
  ]);
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refused).toMatchObject([{ code: expect.stringMatching(/unauthenticated|invalid/) }]);
});
