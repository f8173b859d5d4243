// People as the operator manages them: creating and listing them, setting passwords, changing team memberships, disabling and enabling
// them.

import type { App } from '../../context.ts';
import { invalid, notFound } from '../../errors.ts';
import { isStorable } from '../../rows/storable.ts';
import {
  deleteMembership,
  endSessions,
  findUser,
  findUserByEmail,
  findUsers,
  insertUser,
  type ListedUser,
  type PersonRow,
  saveMembership,
  type TeamRole,
} from '../../store/accounts/users.ts';
import { withTransaction } from '../../store/changing/transactions.ts';
import { parseName, parseOneOf } from '../accounts/names.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { endGrants } from '../sign-in/oauth-grants.ts';
import { hashPassword, parsePassword } from '../sign-in/passwords.ts';
import { withConflicts } from './conflicts.ts';
import { requireId, teamIdOf } from './refs.ts';
import { LOCALES, parseTimeZone } from './teams.ts';

export type { ListedUser, PersonRow };

export interface UserInput {
  readonly email: string;
  readonly name: string;
  readonly password: string;
  /** Absent: unknown. */
  readonly timeZone?: string | undefined;
  readonly locale?: string | undefined;
  readonly memberships: readonly { readonly team: Ref; readonly role: string }[];
}

export const ROLES: readonly TeamRole[] = ['owner', 'admin', 'member'];

const MAX_EMAIL_LENGTH = 254;

/**
 * Creates a person with their memberships.
 * @throws AppError `invalid` for e-mail address, name, time zone, locale, password or role; `not_found` for a team; `conflict` when the
 *   e-mail address is taken
 */
export async function create(app: App, input: UserInput): Promise<PersonRow> {
  const createdAt = app.clock();
  const email = parseEmail(input.email);
  const name = parseName(input.name);
  const timeZone = input.timeZone === undefined ? null : parseTimeZone(input.timeZone);
  const locale = input.locale === undefined ? null : parseOneOf(input.locale, LOCALES, 'locale');
  const memberships = await Promise.all(
    input.memberships.map(async ({ team, role }) => ({
      role: parseOneOf(role, ROLES, 'role'),
      teamId: await requireId(app, 'teams', team),
    })),
  );
  const passwordHash = await hashPassword(parsePassword(input.password, email));
  return withConflicts(() =>
    withTransaction(app, async (tx) => {
      const user = await insertUser(tx, { email, name, timeZone, locale, passwordHash, createdAt });
      for (const { teamId, role } of memberships)
        await saveMembership(tx, { userId: user.id, teamId, role, createdAt });
      return user;
    }),
  );
}

/** The people of one team or of all teams, including disabled people. @throws AppError `not_found` for the team */
export async function list(app: App, filter: { team?: Ref | undefined } = {}): Promise<ListedUser[]> {
  return findUsers(app.store, await teamIdOf(app, filter));
}

/**
 * Sets a person's password and signs them out everywhere. Their grants stay.
 * @param ref id, public id or e-mail address
 * @throws AppError `not_found`, `invalid` for the password
 */
export async function setPassword(app: App, ref: Ref, password: string): Promise<PersonRow> {
  const { id, email } = await requireUser(app, ref);
  const passwordHash = await hashPassword(parsePassword(password, email));
  await signOut(app, id, { passwordHash });
  // The old password was valid until that commit: sessions that it started meanwhile end as well.
  return signOut(app, id);
}

/**
 * Disables a person: they cannot sign in, are signed out everywhere, and their grants end. A second call keeps the time of the first.
 * @throws AppError `not_found`
 */
export async function disable(app: App, ref: Ref): Promise<PersonRow> {
  const { id, disabledAt } = await requireUser(app, ref);
  const user = await signOut(app, id, { disabledAt: disabledAt ?? app.clock() });
  await endGrants(app, { userId: id });
  return user;
}

/** Enables a person again. Their sessions and grants stay ended. @throws AppError `not_found` */
export async function enable(app: App, ref: Ref): Promise<PersonRow> {
  const user = await requireUser(app, ref);
  const { id, disabledAt } = user;
  if (disabledAt === null) return user;
  // A call of `disable` may have been interrupted, or overtaken by a sign-in or a consent: end those sessions and grants, too.
  await endGrants(app, { userId: id });
  return signOut(app, id, { disabledAt: null });
}

/**
 * Adds a person to a team, or changes their role there.
 * @throws AppError `not_found` for the person or the team, `invalid` for the role
 */
export async function join(app: App, ref: Ref, team: Ref, role: string): Promise<PersonRow> {
  const parsed = parseOneOf(role, ROLES, 'role');
  const user = await requireUser(app, ref);
  const teamId = await requireId(app, 'teams', team);
  const createdAt = app.clock();
  await withTransaction(app, (tx) =>
    saveMembership(tx, { userId: user.id, teamId, role: parsed, createdAt }),
  );
  await app.lookups.forget();
  return user;
}

/**
 * Removes a person from a team; their grants for the team end.
 * @throws AppError `not_found` for the person, the team, or a person who is not a member
 */
export async function leave(app: App, ref: Ref, team: Ref): Promise<PersonRow> {
  const user = await requireUser(app, ref);
  const teamId = await requireId(app, 'teams', team);
  const wasMember = await deleteMembership(app.store, user.id, teamId);
  await endGrants(app, { userId: user.id, teamId });
  if (!wasMember) throw notFound('Membership');
  return user;
}

/** Signs a person out everywhere, and changes them. @throws AppError `not_found` */
async function signOut(app: App, id: bigint, change?: Parameters<typeof endSessions>[3]): Promise<PersonRow> {
  const person = await endSessions(app.store, id, app.clock(), change);
  if (person === null) throw notFound('User');
  return person;
}

async function requireUser(app: App, ref: Ref): Promise<PersonRow> {
  const named =
    typeof ref === 'string' && ref.includes('@')
      ? (await findUserByEmail(app.store, parseEmail(ref)))?.id
      : parseRef('User', 'users', ref);
  const user = named === undefined ? null : await findUser(app.store, named);
  if (user === null) throw notFound('User');
  return user;
}

/** An e-mail address in its stored form, which keeps the case of its letters. @throws AppError `invalid` */
function parseEmail(text: string): string {
  const email = text.trim().normalize('NFC');
  const isAddress = /^[^@\s\p{Cc}]+@[^@\s\p{Cc}]+$/u.test(email) && isStorable(email);
  if (!isAddress || email.length > MAX_EMAIL_LENGTH)
    throw invalid('email', {
      code: 'invalid_format',
      message: 'The e-mail address must be one such as ada@example.com.',
    });
  return email;
}
