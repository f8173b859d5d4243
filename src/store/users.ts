// People as rows, with their memberships. The password's hash leaves this layer only for a sign-in.

import { isStorable } from '../rows/storable.ts';
import type { TeamRole, User } from './generated/client.ts';
import { toId } from './public-ids.ts';
import type { Statement } from './statements.ts';
import { query, type Store, type Transaction, withPrisma } from './store.ts';

export type { TeamRole };

/** A person without what is between them and their sign-ins: what others may see. */
export type UserRow = Omit<User, 'passwordHash' | 'sessionsEndedAt'>;

/** A person with the teams that they belong to. */
export type ListedUser = UserRow & {
  readonly memberships: { readonly teamId: bigint; readonly role: TeamRole }[];
};

/** A person who is to be. */
export type NewUser = Pick<User, 'email' | 'name' | 'passwordHash' | 'createdAt'>;

/** A team that a person belongs to. */
export interface Membership {
  readonly teamId: bigint;
  readonly teamName: string;
  readonly role: TeamRole;
  readonly workspaces: { readonly id: bigint; readonly name: string }[];
}

/** A person as a sign-in needs them. */
type UserWithHash = UserRow & Pick<User, 'passwordHash' | 'sessionsEndedAt'>;

const omit = { passwordHash: true, sessionsEndedAt: true } as const;

/** One row always: the work is the same whether there is such a person. */
const BY_EMAIL: Statement = {
  name: 'users.by_email',
  text: `select lower($1) as canonical, u.id, u.public_id as "publicId", u.email, u.name,
    u.password_hash as "passwordHash", u.created_at as "createdAt", u.updated_at as "updatedAt",
    u.disabled_at as "disabledAt", u.sessions_ended_at as "sessionsEndedAt"
    from (values (1)) one left join users u on lower(u.email) = lower($1)`,
};

/** JSON has no 64-bit integers: the teams' ids are text in it. */
const LIST: Statement = {
  name: 'users.list',
  text: `select u.id, u.public_id as "publicId", u.email, u.name, u.created_at as "createdAt", u.updated_at as "updatedAt",
      u.disabled_at as "disabledAt", coalesce(m.memberships, '[]') as memberships
    from users u left join lateral (
      select jsonb_agg(jsonb_build_object('teamId', team_id::text, 'role', role) order by team_id) as memberships
      from team_members where user_id = u.id) m on true
    where $1::int8 is null or exists (select from team_members where user_id = u.id and team_id = $1)
    order by u.id`,
};

/** What an e-mail address names. */
export interface Account {
  /** The same for every way to write the address that names the same person, whether there is one or not. */
  readonly canonical: string;
  readonly user: UserWithHash | null;
}

/** The account with this e-mail address, whatever its case; disabled people included. */
export async function findAccount(store: Store, email: string): Promise<Account> {
  if (!isStorable(email)) return { canonical: email, user: null };
  const [row] = await query<UserWithHash & { canonical: string }>(store, BY_EMAIL, [email]);
  if (row === undefined) throw new Error('Looking up an account gave no row.');
  const { canonical, ...user } = row;
  return { canonical, user: user.id === null ? null : user };
}

/** The person with this e-mail address, whatever its case, disabled ones included, or null. */
export async function findUserByEmail(store: Store, email: string): Promise<UserWithHash | null> {
  return (await findAccount(store, email)).user;
}

/** A person by id, disabled ones included, or null. */
export async function findUser(store: Store, id: bigint): Promise<UserRow | null> {
  return withPrisma(store, (prisma) => prisma.user.findUnique({ where: { id }, omit }));
}

/** A person by public id, disabled ones included, or null. */
export async function findUserByPublicId(store: Store, publicId: string): Promise<UserRow | null> {
  const id = toId('users', publicId);
  return id === null ? null : findUser(store, id);
}

/** An enabled person by public id whose sessions were not ended since they signed in at `signedInAt`, or null. */
export async function findSignedIn(
  store: Store,
  publicId: string,
  signedInAt: Date,
): Promise<UserRow | null> {
  const id = toId('users', publicId);
  if (id === null) return null;
  const where = { id, ...stillSignedIn(signedInAt) };
  return withPrisma(store, (prisma) => prisma.user.findFirst({ where, omit }));
}

/** Enabled people whose sessions were not ended since `signedInAt`. Ended in the same moment: ended. */
function stillSignedIn(signedInAt: Date) {
  return { disabledAt: null, OR: [{ sessionsEndedAt: null }, { sessionsEndedAt: { lt: signedInAt } }] };
}

/** The people of one team, or all, each with the teams they belong to; by id. */
export async function findUsers(store: Store, teamId: bigint | null): Promise<ListedUser[]> {
  const rows = await query<UserRow & { memberships: { teamId: string; role: TeamRole }[] }>(store, LIST, [
    teamId,
  ]);
  return rows.map(({ memberships, ...user }) => ({
    ...user,
    memberships: memberships.map(({ teamId: id, role }) => ({ teamId: BigInt(id), role })),
  }));
}

/** Inserts a person. @throws the store's error for an e-mail address that is somebody's already (`users_email_key`) */
export async function insertUser(tx: Transaction, user: NewUser): Promise<UserRow> {
  return tx.user.create({ data: { ...user, updatedAt: user.createdAt }, omit });
}

/** Puts a person into a team, or changes their role there. */
export async function saveMembership(
  tx: Transaction,
  membership: { userId: bigint; teamId: bigint; role: TeamRole; createdAt: Date },
): Promise<void> {
  const { userId, teamId, role } = membership;
  const where = { userId_teamId: { userId, teamId } };
  await tx.teamMember.upsert({ where, create: membership, update: { role } });
}

/** Takes a person out of a team. Returns whether they were in it. */
export async function deleteMembership(store: Store, userId: bigint, teamId: bigint): Promise<boolean> {
  const { count } = await withPrisma(store, (prisma) =>
    prisma.teamMember.deleteMany({ where: { userId, teamId } }),
  );
  return count > 0;
}

/** The teams that a person belongs to, with their workspaces; by id. */
export async function findMemberships(store: Store, userId: bigint): Promise<Membership[]> {
  const workspaces = { select: { id: true, name: true }, orderBy: { id: 'asc' as const } };
  const found = await withPrisma(store, (prisma) =>
    prisma.teamMember.findMany({
      where: { userId },
      orderBy: { teamId: 'asc' },
      select: { teamId: true, role: true, team: { select: { name: true, workspaces } } },
    }),
  );
  return found.map(({ teamId, role, team }) => ({
    teamId,
    role,
    teamName: team.name,
    workspaces: team.workspaces,
  }));
}

/** Sets a password. */
export async function setPasswordHash(tx: Transaction, id: bigint, passwordHash: string): Promise<void> {
  await tx.user.update({ where: { id }, data: { passwordHash }, select: { id: true } });
}

/** Sets the password of a person whose session still lives. Whether it did: of two at once, one finds it ended. */
export async function replacePasswordHash(
  tx: Transaction,
  id: bigint,
  passwordHash: string,
  signedInAt: Date,
): Promise<boolean> {
  const where = { id, ...stillSignedIn(signedInAt) };
  return (await tx.user.updateMany({ where, data: { passwordHash } })).count === 1;
}

/** Says when a person was disabled; null: is not. */
export async function setDisabledAt(tx: Transaction, id: bigint, disabledAt: Date | null): Promise<void> {
  await tx.user.update({ where: { id }, data: { disabledAt }, select: { id: true } });
}

/**
 * Signs a person out in every browser that they signed in with up to `at`. The time is what counts: a request that is
 * under way writes its session's row again after it is deleted.
 */
export async function endSessions(tx: Transaction, id: bigint, at: Date): Promise<UserRow> {
  await tx.oauthState.deleteMany({ where: { userId: id } });
  return tx.user.update({ where: { id }, data: { sessionsEndedAt: at }, omit });
}
