// The person who owns the demo's teams. Whoever tries the gateway signs in as her.
import { randomBytes } from 'node:crypto';
import type { Executor } from '../connections/executor.ts';
import { toPublicId } from '../sql/public-ids.ts';
import { type Fixture, type FixtureRow, referencesOf } from './fixture.ts';

export const DEMO_EMAIL = 'ada@example.com';

/** The tables of what is hers alone. */
const PERSON_TABLES = ['users', 'team_members', 'oauth_clients', 'team_oauth_clients', 'oauth_grants'];

/** The fixture without her, where somebody else has her address: what refers to her refers to nobody. */
export function withoutPerson(fixture: Fixture): Fixture {
  const isHers = (value: unknown) => referencesOf(value).some(({ table }) => PERSON_TABLES.includes(table));
  const withoutHer = (row: FixtureRow): FixtureRow =>
    Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column,
        !isHers(value) ? value : Array.isArray(value) ? value.filter((item) => !isHers(item)) : null,
      ]),
    );
  return new Map(
    [...fixture]
      .filter(([table]) => !PERSON_TABLES.includes(table))
      .map(([table, rows]) => [table, rows.map((placed) => ({ ...placed, row: withoutHer(placed.row) }))]),
  );
}

/** Locks the e-mail addresses until the transaction ends. @returns whether somebody has hers already: people may be there before any team is */
export async function lockDemoEmail(steps: Executor): Promise<boolean> {
  await steps.$executeRawUnsafe('lock table users in share row exclusive mode');
  const found = await steps.$queryRawUnsafe<object[]>(
    'select from users where lower(email) = lower($1::text) limit 1',
    DEMO_EMAIL,
  );
  return found.length > 0;
}

/**
 * Makes the key of what she granted to a client, with the payload of oidc-provider. The client is public, and what it redirects to is
 * nobody's: no code and no token of it is anywhere.
 */
export function completeGrant(grant: Readonly<Record<string, unknown>>): { key: string; payload: object } {
  const { user_id: user, client_id: clientId, created_at: createdAt, expires_at: expiresAt } = grant;
  const key = randomBytes(32).toString('base64url');
  const secondsOf = (time: unknown) => Math.floor(new Date(String(time)).getTime() / 1_000);
  const accountId = toPublicId('users', BigInt(Number(user)));
  const payload = {
    ...{ kind: 'Grant', jti: key, accountId, clientId },
    ...{ iat: secondsOf(createdAt), exp: secondsOf(expiresAt) },
  };
  return { key, payload };
}
