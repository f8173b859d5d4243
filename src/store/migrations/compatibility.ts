// Lets two versions of the gateway run on one database. Older versions cannot work with a migration whose name ends in `_incompatible`.
// Such a migration is not applied while processes of an older version are connected, and an older version refuses to serve a store that
// has it. Each process publishes its newest migration in its sessions' application_name.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { StartupError } from '../../errors.ts';
import { APPLICATION } from '../connections/time-limits.ts';
import { PRISMA_FOLDER } from './folder.ts';

/** Whether versions without this migration cannot work with it. */
export function isIncompatible(name: string): boolean {
  return name.endsWith('_incompatible');
}

/** The application_name of this version's sessions: `funnel-gateway/` and the time of its newest migration. */
export function applicationName(prismaFolder = PRISMA_FOLDER): string {
  const names = readdirSync(join(prismaFolder, 'migrations')).filter((name) => /^\d{14}_/.test(name));
  return `${APPLICATION}/${timeOf(names.sort().at(-1) ?? '')}`;
}

/**
 * Requires that no connected process lacks the incompatible ones of these migrations.
 * @throws StartupError with the number of such processes, and what to do
 */
export async function requireNoOlder(pool: pg.Pool, pending: readonly string[]): Promise<void> {
  const incompatible = pending.filter(isIncompatible);
  const newest = incompatible.at(-1);
  if (newest === undefined) return;
  const { rows } = await pool.query<{ places: string[] }>(
    `select array_agg(distinct coalesce(host(client_addr), 'this machine')) as places from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend'
        and (application_name = $1 or application_name like $1 || '/%')
        and split_part(application_name, '/', 2) < $2
      having count(*) > 0`,
    [APPLICATION, timeOf(newest)],
  );
  const [older] = rows;
  if (older === undefined) return;
  throw new StartupError(
    `The database was not migrated: an older version of the gateway that does not work with ${incompatible.join(', ')} is connected (from ${older.places.join(', ')}). Stop it and start again, or run "npx funnel-gateway migrate --force", after which its requests fail.`,
  );
}

/** The digits at the beginning of a migration's name. */
function timeOf(name: string): string {
  return name.slice(0, 14);
}
