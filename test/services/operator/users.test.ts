// The rules of people: accounts, memberships, and what ends when they are disabled.
import { beforeEach, expect, test } from 'vitest';
import { membershipsOf } from '../../../src/services/accounts/users.ts';
import {
  create,
  disable,
  enable,
  join,
  leave,
  list,
  setPassword,
} from '../../../src/services/operator/users.ts';
import { verifyPassword } from '../../../src/services/sign-in/passwords.ts';
import { loginTsNow, personOf } from '../../../src/services/sign-in/sessions.ts';
import * as factories from '../../support/factories.ts';
import { ownGateway } from '../../support/gateway.ts';
import { oauthGrant } from '../../support/grants.ts';
import { prismaOf } from '../../support/prisma.ts';

const PASSWORD = 'a password that is long';
let now: Date;
let team: bigint;
let people = 0;

const gateway = await ownGateway({ overrides: { clock: () => now } });
beforeEach(async () => {
  now = new Date('2026-05-01T12:00:00Z');
  team = (await factories.team(gateway.app)).id;
});

const email = () => `Person-${people++}@Example.com`;
const make = (input: Partial<Parameters<typeof create>[1]> = {}) =>
  create(gateway.app, { email: email(), name: 'Ada', password: PASSWORD, memberships: [], ...input });
const later = (ms: number) => new Date(now.getTime() + ms);
const hashOf = async (id: bigint) => (await rowOf(id)).passwordHash ?? '';
const rowOf = (id: bigint) => prismaOf(gateway.app.store).user.findUniqueOrThrow({ where: { id } });

/** A browser that the person is signed in with from now on. Returns a question: who is, by it? */
async function session({ id, publicId: accountId }: { id: bigint; publicId: string }) {
  const idHash = crypto.getRandomValues(new Uint8Array(32));
  const expiresAt = later(86_400_000);
  const loginTs = loginTsNow(gateway.app);
  await prismaOf(gateway.app.store).oauthState.create({
    data: { model: 'Session', idHash, payload: { accountId, loginTs }, userId: id, expiresAt },
  });
  return async () => (await personOf(gateway.app, { accountId, loginTs }))?.id ?? null;
}
const sessionsOf = (userId: bigint) => prismaOf(gateway.app.store).oauthState.count({ where: { userId } });

/** The state of a grant and its token. */
async function endsOf(grantId: bigint): Promise<(Date | null | undefined)[]> {
  const grant = await prismaOf(gateway.app.store).oauthGrant.findUniqueOrThrow({
    where: { id: grantId },
    include: { tokens: true },
  });
  return [grant.revokedAt, ...grant.tokens.map(({ revokedAt }) => revokedAt)];
}

test('only an argon2id hash of a password is stored, and no returned row has it', async () => {
  const user = await make();
  const passwordHash = await hashOf(user.id);
  expect(passwordHash).toMatch(/^\$argon2id\$/);
  expect(passwordHash).not.toContain(PASSWORD);
  expect(await verifyPassword(PASSWORD, passwordHash)).toBe(true);
  const handed = [
    user,
    await setPassword(gateway.app, user.email, PASSWORD),
    await join(gateway.app, user.email, team, 'member'),
    await leave(gateway.app, user.email, team),
    await disable(gateway.app, user.email),
    await enable(gateway.app, user.email),
    ...(await list(gateway.app)),
  ];
  for (const row of handed) expect(row).not.toHaveProperty('passwordHash');
});

test('an e-mail address belongs to one person, in any letter case, also with concurrent creations', async () => {
  const user = await make({ email: ' Grace@Example.com ' });
  expect(user.email).toBe('Grace@Example.com');
  await expect(make({ email: 'GRACE@example.COM' })).rejects.toMatchObject({ code: 'conflict' });
  const outcomes = await Promise.allSettled([make({ email: 'x@y.example' }), make({ email: 'X@y.example' })]);
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test.each([
  ['email', { email: 'ada' }],
  ['email', { email: 'ada@' }],
  ['email', { email: 'a da@example.com' }],
  ['email', { email: 'ada@exam\0ple.com' }],
  ['email', { email: 'ada\ud800@example.com' }],
  ['email', { email: `${'a'.repeat(250)}@example.com` }],
  ['name', { name: '  ' }],
  ['name', { name: 'x'.repeat(101) }],
  ['name', { name: 'Ada\u0000' }],
  ['name', { name: 'Bank\u202eexe' }],
  ['password', { password: 'eleven char' }],
  ['password', { password: 'x'.repeat(201) }],
  ['password', { email: 'long-address@example.com', password: 'LONG-address@example.com' }],
  ['role', { memberships: [{ team: '1', role: 'king' }] }],
])('%s is refused in %j', async (field, input) => {
  const before = await list(gateway.app);
  await expect(make(input)).rejects.toMatchObject({ code: 'invalid', errors: [{ field }] });
  expect(await list(gateway.app)).toHaveLength(before.length);
});

test('a password may have any characters, and its length counts what people see as characters', async () => {
  await make({ password: '\u{1F511}'.repeat(12) });
  await make({ password: 'x'.repeat(200) });
  await expect(make({ password: '\u{1F511}'.repeat(6) })).rejects.toMatchObject({ code: 'invalid' });
});

test('an unknown team is refused, and then nobody is created', async () => {
  const address = email();
  const memberships = [
    { team, role: 'owner' },
    { team: 999_999n, role: 'owner' },
  ];
  await expect(make({ email: address, memberships })).rejects.toMatchObject({ code: 'not_found' });
  await make({ email: address });
});

test('memberships have the team, the role and the team\u2019s workspaces; people are listed by team', async () => {
  const workspace = await factories.workspace(gateway.app, { teamId: team });
  const { publicId, name } = await prismaOf(gateway.app.store).team.findUniqueOrThrow({
    where: { id: team },
  });
  const other = (await factories.team(gateway.app)).id;
  const user = await make({
    memberships: [
      { team: publicId, role: 'owner' },
      { team: other, role: 'member' },
    ],
  });
  await make({ memberships: [{ team: other, role: 'admin' }] });
  expect(await membershipsOf(gateway.app, user.id)).toEqual([
    { teamId: team, teamName: name, role: 'owner', workspaces: [{ id: workspace.id, name: workspace.name }] },
    expect.objectContaining({ teamId: other, role: 'member', workspaces: [] }),
  ]);
  expect(await list(gateway.app, { team })).toEqual([
    expect.objectContaining({
      id: user.id,
      memberships: [
        { teamId: team, role: 'owner' },
        { teamId: other, role: 'member' },
      ],
    }),
  ]);
  await expect(list(gateway.app, { team: 999_999n })).rejects.toMatchObject({ code: 'not_found' });
});

test('joining again changes the role; leaving ends the grants there and nothing else', async () => {
  const other = (await factories.team(gateway.app)).id;
  const user = await make();
  await join(gateway.app, user.id, team, 'member');
  await join(gateway.app, user.publicId, team, 'admin');
  expect(await membershipsOf(gateway.app, user.id)).toMatchObject([{ teamId: team, role: 'admin' }]);
  const here = await oauthGrant(gateway.app, { teamId: team, userId: user.id });
  const there = await oauthGrant(gateway.app, { teamId: other, userId: user.id });
  await leave(gateway.app, user.id, team);
  expect(await membershipsOf(gateway.app, user.id)).toMatchObject([{ teamId: other }]);
  expect(await endsOf(here.id)).toEqual([now, now]);
  expect(await endsOf(there.id)).toEqual([null, null]);
  await expect(leave(gateway.app, user.id, team)).rejects.toMatchObject({ code: 'not_found' });
});

test('a new password signs the person out everywhere, and nobody else', async () => {
  const [user, bystander] = [await make(), await make()];
  const grant = await oauthGrant(gateway.app, { teamId: team, userId: user.id });
  const [first, second, theirs] = [await session(user), await session(user), await session(bystander)];
  expect([await first(), await second(), await theirs()]).toEqual([user.id, user.id, bystander.id]);
  await setPassword(gateway.app, user.email.toLowerCase(), 'another long password');
  expect(await verifyPassword('another long password', await hashOf(user.id))).toBe(true);
  expect([await sessionsOf(user.id), await sessionsOf(bystander.id)]).toEqual([0, 1]);
  // What the rows said counts no more, whoever has kept it.
  expect([await first(), await second(), await theirs()]).toEqual([null, null, bystander.id]);
  now = later(1);
  expect(await (await session(user))()).toBe(user.id);
  expect(await endsOf(grant.id)).toEqual([null, null]);
  await expect(setPassword(gateway.app, user.id, 'short')).rejects.toMatchObject({ code: 'invalid' });
});

test('disabling signs out, ends grants and keeps its first time; enabling restores neither', async () => {
  const [user, bystander] = [await make(), await make()];
  const before = await session(user);
  const grant = await oauthGrant(gateway.app, { teamId: team, userId: user.id });
  const theirs = await oauthGrant(gateway.app, { teamId: team, userId: bystander.id });
  const at = now;
  expect(await disable(gateway.app, user.publicId)).toMatchObject({ disabledAt: at });
  now = later(1_000);
  expect(await disable(gateway.app, user.id)).toMatchObject({ disabledAt: at });
  expect([await sessionsOf(user.id), await before()]).toEqual([0, null]);
  expect(await endsOf(grant.id)).toEqual([at, at]);
  expect(await endsOf(theirs.id)).toEqual([null, null]);
  expect(await enable(gateway.app, user.id)).toMatchObject({ disabledAt: null });
  expect(await before()).toBeNull();
  expect(await endsOf(grant.id)).toEqual([at, at]);
});

test('enabling completes an interrupted disabling; a person who was not disabled loses nothing', async () => {
  const [user, bystander] = [await make(), await make()];
  const grant = await oauthGrant(gateway.app, { teamId: team, userId: user.id });
  const theirs = await oauthGrant(gateway.app, { teamId: team, userId: bystander.id });
  await prismaOf(gateway.app.store).user.update({ where: { id: user.id }, data: { disabledAt: now } });
  now = later(60_000);
  expect(await enable(gateway.app, user.id)).toMatchObject({ disabledAt: null });
  expect(await endsOf(grant.id)).toEqual([now, now]);
  const signedIn = await session(bystander);
  expect(await enable(gateway.app, bystander.id)).toMatchObject({ disabledAt: null });
  expect(await endsOf(theirs.id)).toEqual([null, null]);
  expect(await signedIn()).toBe(bystander.id);
});

test('an unknown person is not found, by any identifier', async () => {
  for (const ref of [999_999n, '999999', 'abcdefgh', 'nobody@example.com', '1e3', ''])
    await expect(disable(gateway.app, ref)).rejects.toMatchObject({ code: 'not_found' });
});
