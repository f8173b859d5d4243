// The session settings for dates: statements read and write timestamps as text, in UTC and in ISO 8601. `migrate` sets both for its role
// in its database. They cannot be start options, which poolers refuse.
import pg from 'pg';
import { StartupError } from '../../errors.ts';

/** The settings that new sessions of this user have in this database. */
export interface SessionSettings {
  readonly timeZone: string;
  readonly dateStyle: string;
  /** Quoted names. */
  readonly user: string;
  readonly database: string;
  /** Whether both are set for the role, so that only a pooler can still have sessions with other values. */
  readonly isSet: boolean;
}

const SETTINGS = `select current_setting('TimeZone') as "timeZone", current_setting('DateStyle') as "dateStyle",
    quote_ident(session_user) as "user", quote_ident(current_database()) as database,
    exists (select from pg_db_role_setting s join pg_roles r on r.oid = s.setrole join pg_database d on d.oid = s.setdatabase
      where r.rolname = session_user and d.datname = current_database()
        and (select count(*) from unnest(s.setconfig) c where lower(c) in ('timezone=utc', 'datestyle=iso')) = 2) as "isSet"`;

/** Reads the settings of a session. @throws the driver's error */
export async function readSessionSettings(db: Pick<pg.ClientBase, 'query'>): Promise<SessionSettings> {
  const { rows } = await db.query<SessionSettings>(SETTINGS);
  const [settings] = rows;
  if (settings === undefined) throw new Error('The server does not show the settings of the session.');
  return settings;
}

/** Names of UTC. */
const UTC = /^(etc\/)?(utc|uct|zulu|universal|gmt|gmt[+-]?0|greenwich)$/i;

/** Whether the settings make dates independent of the server. */
export function isUtc({ timeZone, dateStyle }: SessionSettings): boolean {
  return UTC.test(timeZone) && /^iso\b/i.test(dateStyle);
}

function linesOf({ user, database }: SessionSettings): string[] {
  const role = `alter role ${user} in database ${database} set`;
  return [`${role} timezone = 'UTC';`, `${role} datestyle = 'ISO';`];
}

/** Sets both for the role. Open sessions keep theirs. Without the right to do so, nothing changes. @throws the driver's error */
export async function setSessionSettings(db: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const lines = linesOf(await readSessionSettings(db));
  try {
    await db.query(lines.join('\n'));
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
  }
}

/** Describes what is wrong. */
export function wrongSettings({ timeZone, dateStyle }: SessionSettings): string {
  return `sessions have the time zone ${timeZone} and the date style ${dateStyle}, which would change dates`;
}

/** What to do about it. */
export function settingsRemedy(settings: SessionSettings): string {
  if (settings.isSet)
    return 'have the pooler open new connections (PgBouncer: RECONNECT), which have UTC and ISO';
  return `run "npx funnel-gateway migrate", or as an administrator:\n  ${linesOf(settings).join('\n  ')}`;
}

/** Checks the settings. @throws StartupError with the lines to run if dates would depend on the server */
export function requireUtc(settings: SessionSettings): void {
  if (isUtc(settings)) return;
  throw new StartupError(
    `The database's ${wrongSettings(settings)}: ${settingsRemedy(settings)}${settings.isSet ? '.' : ''}`,
  );
}
