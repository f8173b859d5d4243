// People as rows, with their memberships, and the user that represents a caller. The password's hash leaves this layer only for a sign-in.
// A team's service user is not an account, so nobody can sign in as it.

import type { Prisma, TeamRole, User } from '#prisma';
import type { Page, PageRequest } from '../../pagination.ts';
import { type UserRow, user } from '../../resources/users.ts';
import { rowMaker, selectList } from '../../rows/columns.ts';
import { isStorable } from '../../rows/storable.ts';
import { withTransaction } from '../changing/transactions.ts';
import { toPage } from '../reading/pages.ts';
import { boundsOf, limitOf, orderOf, rangeOf, scanDirection, valuesOfBounds } from '../reading/positions.ts';
import { readRows } from '../reading/reads.ts';
import { BY_ID, BY_TIME } from '../reading/sort-keys.ts';
import { idOfPublicId } from '../sql/public-ids.ts';
import { named, type Statement, statement, valuesOf } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { query, type Store, type StoreContext, type Transaction, withPrisma } from '../store.ts';
import { columnsOf } from '../tables/table.ts';
import type { RowOwner } from '../tenancy/row-owners.ts';

export type { TeamRole };

/** A person without sign-in data: the part that others may see. */
export type PersonRow = Omit<User, keyof typeof omit | 'email'> & { readonly email: string };

/** A person with their teams. */
export type ListedUser = PersonRow & {
  readonly memberships: { readonly teamId: bigint; readonly role: TeamRole }[];
};

/** The columns of a new person. */
export type NewUser = Pick<User, 'name' | 'timeZone' | 'locale' | 'createdAt'> & {
  readonly email: string;
  readonly passwordHash: string;
};

/** A team that a person is a member of. */
export interface Membership {
  readonly teamId: bigint;
  readonly teamName: string;
  readonly role: TeamRole;
  readonly workspaces: { readonly id: bigint; readonly name: string }[];
}

/** A person with the data that a sign-in needs. */
type PersonWithHash = PersonRow & Pick<User, 'sessionsEndedAt'> & { readonly passwordHash: string };

const omit = {
  passwordHash: true,
  sessionsEndedAt: true,
  serviceTeamId: true,
  firstName: true,
  lastName: true,
} as const;

/** The selected columns of a person `u`. */
const PERSON = `u.id, u.public_id as "publicId", u.email, u.name, u.time_zone as "timeZone", u.locale,
    u.created_at as "createdAt", u.updated_at as "updatedAt", u.disabled_at as "disabledAt"`;

/** Missing values are empty texts, because clients expect texts in these members. */
const USER_COLUMNS = columnsOf(user, {
  email: "coalesce(t.email, '')",
  firstName: "coalesce(t.first_name, '')",
  lastName: "coalesce(t.last_name, '')",
});
const makeUser = rowMaker<UserRow>(USER_COLUMNS);
const OF_TEAM: readonly RowOwner[] = [{ of: 'team', field: Object.keys(USER_COLUMNS).length, row: 0 }];

/** Always returns one row, so that the work is the same whether the person exists or not. */
const BY_EMAIL: Statement = {
  name: 'users.by_email',
  text: `select lower($1) as canonical, ${PERSON},
    u.password_hash as "passwordHash", u.sessions_ended_at as "sessionsEndedAt"
    from (values (1)) one left join users u on lower(u.email) = lower($1)`,
};

/** The teams' ids are text, because JSON has no 64-bit integers. */
const LIST: Statement = {
  name: 'users.list',
  text: `select ${PERSON}, coalesce(m.memberships, '[]') as memberships
    from users u left join lateral (
      select jsonb_agg(jsonb_build_object('teamId', team_id::text, 'role', role) order by team_id) as memberships
      from team_members where user_id = u.id) m on true
    where u.service_team_id is null
      and ($1::int8 is null or exists (select from team_members where user_id = u.id and team_id = $1))
    order by u.id`,
};

/** Finds the team's service user, or the team member with this id; or null. */
export async function findCaller(
  ctx: StoreContext,
  tenancy: Tenancy,
  personId: bigint | null,
): Promise<UserRow | null> {
  const caller = statement(
    'users.caller',
    () => `select ${selectList(USER_COLUMNS)}, coalesce(t.service_team_id,
          (select m.team_id from team_members m where m.user_id = t.id and m.team_id = $team)) as "team"
      from users t
      where t.id = coalesce($id::bigint, (select s.id from users s where s.service_team_id = $team))
        and (t.service_team_id = $team or exists (select from team_members m where m.user_id = t.id and m.team_id = $team))`,
  );
  const values = { team: tenancy.teamId, id: personId };
  return (await readRows(ctx, caller, values, tenancy, OF_TEAM)).map(makeUser)[0] ?? null;
}

/** SQL of the ids of a team's users: its service user and its members. */
const TEAM_USERS = `(select s.id, s.service_team_id as team from users s where s.service_team_id = $team
        union all select user_id, team_id from team_members where team_id = $team) m`;

/**
 * Reads a page of a team's users.
 * @param only restricts the page to these users; null: all users of the team
 */
export async function findTeamUsers(
  ctx: StoreContext,
  tenancy: Tenancy,
  page: PageRequest,
  only: readonly bigint[] | null,
): Promise<Page<UserRow>> {
  const key = BY_TIME[page.sort ?? 'id'] ?? BY_ID;
  const direction = scanDirection(page);
  const ofTeam = statement(
    `users.of_team.${key.sort}.${direction}`,
    () => `select ${selectList(USER_COLUMNS)}, m.team as "team"
      from ${TEAM_USERS} join users t on t.id = m.id
      where coalesce(t.id = any($ids::bigint[]), true) and ${rangeOf(key, 't.id')}
      order by ${orderOf(key, direction)} limit $limit`,
  );
  const values = { team: tenancy.teamId, limit: limitOf(page), ids: only, ...valuesOfBounds(boundsOf(page)) };
  const rows = await readRows(ctx, ofTeam, values, tenancy, OF_TEAM);
  return toPage(rows.map(makeUser), page);
}

const COUNT_OF_TEAM = named('users.of_team.count', `select count(*)::int as count from ${TEAM_USERS}`);

/** Counts a team's users. */
export async function countTeamUsers({ store }: StoreContext, { teamId }: Tenancy): Promise<number> {
  const [found] = await query<{ count: number }>(
    store,
    COUNT_OF_TEAM,
    valuesOf(COUNT_OF_TEAM, { team: teamId }),
  );
  return found?.count ?? 0;
}

/** The account of an e-mail address. */
export interface Account {
  /** The same for all spellings of an address that belong to the same person, whether the person exists or not. */
  readonly canonical: string;
  readonly user: PersonWithHash | null;
}

/** Finds the account with this e-mail address, ignoring case; includes disabled people. */
export async function findAccount(store: Store, email: string): Promise<Account> {
  if (!isStorable(email)) return { canonical: email, user: null };
  const [row] = await query<PersonWithHash & { canonical: string }>(store, BY_EMAIL, [email]);
  if (row === undefined) throw new Error('Looking up an account gave no row.');
  const { canonical, ...user } = row;
  return { canonical, user: user.id === null ? null : user };
}

/** Finds the person with this e-mail address, ignoring case, or null; includes disabled people. */
export async function findUserByEmail(store: Store, email: string): Promise<PersonWithHash | null> {
  return (await findAccount(store, email)).user;
}

/** Finds a person by id or public id, or null; includes disabled people. */
export function findUser(store: Store, ref: bigint | string): Promise<PersonRow | null> {
  return findWhere(store, ref, {});
}

/** Finds an enabled person by public id whose sessions have not been ended since `signedInAt`; or null. */
export function findSignedIn(store: Store, publicId: string, signedInAt: Date): Promise<PersonRow | null> {
  return findWhere(store, publicId, stillSignedIn(signedInAt));
}

async function findWhere(
  store: Store,
  ref: bigint | string,
  more: Prisma.UserWhereInput,
): Promise<PersonRow | null> {
  const id = typeof ref === 'bigint' ? ref : idOfPublicId('users', ref);
  if (id === null) return null;
  return toPerson(
    await withPrisma(store, (prisma) => prisma.user.findFirst({ where: { id, ...more }, omit })),
  );
}

/** null for service users too, which are the only users without an e-mail address. */
function toPerson(row: (Omit<PersonRow, 'email'> & Pick<User, 'email'>) | null): PersonRow | null {
  return row === null || row.email === null ? null : { ...row, email: row.email };
}

/** Selects enabled people whose sessions have not been ended since `signedInAt`. Sessions ended at exactly that time count as ended. */
function stillSignedIn(signedInAt: Date) {
  return { disabledAt: null, OR: [{ sessionsEndedAt: null }, { sessionsEndedAt: { lt: signedInAt } }] };
}

/** The people of one team, or all, each with their teams; by id. */
export async function findUsers(store: Store, teamId: bigint | null): Promise<ListedUser[]> {
  const rows = await query<PersonRow & { memberships: { teamId: string; role: TeamRole }[] }>(store, LIST, [
    teamId,
  ]);
  return rows.map(({ memberships, ...user }) => ({
    ...user,
    memberships: memberships.map(({ teamId: id, role }) => ({ teamId: BigInt(id), role })),
  }));
}

/** Inserts a person. @throws the store's error for an e-mail address in use (`users_email_key`) */
export async function insertUser(tx: Transaction, person: NewUser): Promise<PersonRow> {
  const data = { ...person, updatedAt: person.createdAt };
  return { ...(await tx.user.create({ data, omit })), email: person.email };
}

/** Adds a person to a team, or changes their role in it. */
export async function saveMembership(
  tx: Transaction,
  membership: { userId: bigint; teamId: bigint; role: TeamRole; createdAt: Date },
): Promise<void> {
  const { userId, teamId, role } = membership;
  // Not an upsert: with an enum value it works only on a single PostgreSQL (shard-placement/).
  const { count } = await tx.teamMember.createMany({ data: [membership], skipDuplicates: true });
  if (count === 0) await tx.teamMember.updateMany({ where: { userId, teamId }, data: { role } });
}

/** Removes a person from a team. @returns whether they were a member */
export async function deleteMembership(store: Store, userId: bigint, teamId: bigint): Promise<boolean> {
  const { count } = await withPrisma(store, (prisma) =>
    prisma.teamMember.deleteMany({ where: { userId, teamId } }),
  );
  return count > 0;
}

/** The teams of a person, with their workspaces; by id. */
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

/**
 * Changes a person, and ends all of their browser sessions that began up to `at`. The recorded time decides, because a concurrent request
 * may write its session's row again after it was deleted.
 * @param signedInAt if set, only if their sessions have not been ended since then: of two concurrent changes, the second finds them ended
 * @returns null if there is no such person
 */
export async function endSessions(
  store: Store,
  id: bigint,
  at: Date,
  change: Partial<Pick<User, 'passwordHash' | 'disabledAt'>> = {},
  signedInAt?: Date,
): Promise<PersonRow | null> {
  const where = { id, ...(signedInAt && stillSignedIn(signedInAt)) };
  return withTransaction({ store }, async (tx) => {
    const [person = null] = await tx.user.updateManyAndReturn({
      where,
      data: { ...change, sessionsEndedAt: at },
      omit,
    });
    if (person !== null) await tx.oauthState.deleteMany({ where: { userId: id } });
    return toPerson(person);
  });
}
