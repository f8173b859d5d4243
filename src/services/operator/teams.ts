// Teams as the operator manages them: creating them, each with its default API key, and listing them.
import type { App } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { LOCALES as TEAM_LOCALES } from '../../resources/teams.ts';
import { findTeams, insertTeam, type StoredTeam } from '../../store/accounts/teams.ts';
import { withTransaction } from '../../store/changing/transactions.ts';
import { type IssuedKey, issueKey } from '../accounts/api-keys.ts';
import { isName, parseName, parseOneOf } from '../accounts/names.ts';
import { parseSubdomain } from '../accounts/subdomains.ts';

import { withConflicts } from './conflicts.ts';

export type { StoredTeam };

const DEFAULT_KEY = { name: 'Default API key', scopes: ['read', 'write'], isDefault: true, expiresAt: null };

/** The languages that a team or a person may choose. */
export const LOCALES: readonly string[] = TEAM_LOCALES;

export interface TeamInput {
  readonly name: string;
  /** Absent: the team has no host of its own. */
  readonly subdomain?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly locale?: string | undefined;
  /** Without its default API key. */
  readonly withoutKey?: boolean | undefined;
}

/**
 * Creates a team with its default API key, which may read and write everything that the team owns.
 * @throws AppError `invalid` for name, subdomain, time zone or locale; `conflict` for a subdomain that is taken
 */
export async function create(
  app: App,
  input: TeamInput,
): Promise<{ team: StoredTeam; defaultKey: IssuedKey | null }> {
  const team = {
    name: parseName(input.name),
    subdomain: input.subdomain === undefined ? null : parseSubdomain(app, input.subdomain),
    timeZone: parseTimeZone(input.timeZone ?? 'UTC'),
    locale: parseOneOf(input.locale ?? 'en', LOCALES, 'locale'),
    createdAt: app.clock(),
  };
  return withConflicts(() =>
    withTransaction(app, async (tx) => {
      const made = await insertTeam(tx, team);
      const key = { ...DEFAULT_KEY, teamId: made.id, createdAt: team.createdAt };
      return { team: made, defaultKey: input.withoutKey ? null : await issueKey(tx, key) };
    }),
  );
}

/** Every team, with its number of workspaces. */
export async function list(app: App): Promise<(StoredTeam & { readonly workspaces: number })[]> {
  return findTeams(app.store);
}

/** A time zone's display name, such as Tokyo; IANA names are not required. @throws AppError `invalid` */
export function parseTimeZone(text: string): string {
  if (isName(text)) return text.trim();
  throw invalid('time_zone', {
    code: 'invalid_format',
    message: 'The time zone must be a name such as UTC, Tokyo or Europe/London.',
  });
}
