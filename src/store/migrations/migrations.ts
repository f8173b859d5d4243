// Compares a store with the migrations, and applies those that are pending.
import type pg from 'pg';
import { StartupError } from '../../errors.ts';
import { endingSession } from '../connections/ending-session.ts';
import { applyMigration } from './apply.ts';
import { isIncompatible, requireNoOlder } from './compatibility.ts';
import { interruptedMessage, wasInterrupted } from './cut-short.ts';
import { isUnedited, type Migration, PRISMA_FOLDER, readMigrations } from './folder.ts';
import { createHistory, forgetUnfinished, readHistory, recordFailed } from './history.ts';
import { takeMigrationLockAlone } from './lock.ts';
import { withOwnPool } from './own-pool.ts';
import { requireFreeSubdomains } from './reserved-subdomains.ts';
import { findObstacles } from './rights.ts';
import { isUtc, readSessionSettings, setSessionSettings } from './session-settings.ts';
import { missingRoleError, readTenantRoleState } from './tenant-role.ts';

/** Names of migrations by their state in this store. */
export interface MigrationState {
  applied: string[];
  pending: string[];
  /** Begun and not finished: they failed, or `prisma migrate` is applying them. */
  failed: string[];
  /** Applied, but their file was changed afterwards. */
  edited: string[];
  /** In the store, but not on the disk: a newer version of the gateway applied them. This version still works, unless `isTooNew`. */
  unknown: string[];
}

/** The first migration of much older versions, whose tables cannot be migrated. */
const FIRST_OF_UNSUPPORTED = '20261120000000_init';

/** Whether a migration needs the role for tenants, and creates it if it is missing. */
export function createsTenantRole(name: string): boolean {
  return name.endsWith('_tenant_role');
}

/**
 * Compares the store with the migrations on the disk, with plain SQL. Loads and changes nothing.
 * @throws StartupError for a store that cannot be migrated to this version
 */
export async function migrationState(db: pg.Pool, prismaFolder = PRISMA_FOLDER): Promise<MigrationState> {
  const [onDisk, rows] = await Promise.all([readMigrations(prismaFolder), readHistory(db)]);
  const inStore = new Map(rows.map((row) => [row.name, row]));
  if (inStore.has(FIRST_OF_UNSUPPORTED)) {
    throw new StartupError(
      'The database was made by an earlier version of the gateway, before the first release, and cannot be migrated to this one: to start afresh, delete the folder DATA_DIR, or name an empty database in DATABASE_URL; to keep what is in it, stay with that version.',
    );
  }
  const state: MigrationState = { applied: [], pending: [], failed: [], edited: [], unknown: [] };
  for (const migration of onDisk) {
    const row = inStore.get(migration.name);
    inStore.delete(migration.name);
    if (!row) state.pending.push(migration.name);
    else if (!row.finished) state.failed.push(migration.name);
    else state.applied.push(migration.name);
    if (row?.finished && !isUnedited(migration, row.checksum)) state.edited.push(migration.name);
  }
  state.unknown.push(...inStore.keys());
  return state;
}

interface ApplyOptions {
  /** Selects pending migrations; absent: all. */
  readonly only?: (name: string) => boolean;
  /** Accepts existing rows, including teams and workspaces with a subdomain that is reserved now. */
  readonly lenient?: boolean;
  /** Also applies migrations that are incompatible with running processes of an older version. */
  readonly force?: boolean;
  /** Aborting it rolls the running migration back. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Applies pending migrations and returns their names; sets the role's session settings for dates. Of concurrent processes, one works and
 * the others wait.
 * @throws StartupError for a store that cannot be migrated, which stays unchanged; after an interruption
 */
export async function applyMigrations(
  db: pg.Pool,
  prismaFolder = PRISMA_FOLDER,
  {
    only = () => true,
    lenient = false,
    force = false,
    signal = new AbortController().signal,
  }: ApplyOptions = {},
): Promise<string[]> {
  const isDone = async (state: MigrationState, pool: pg.Pool) =>
    isUpToDate(state) && isUtc(await readSessionSettings(pool));
  if (await isDone(await migrationState(db, prismaFolder), db)) return [];
  return withOwnPool(db, 'migrate', async (pool) => {
    const holder = await pool.connect();
    let before: readonly string[] | undefined;
    let underWay: Migration | undefined;
    try {
      await endingSession({ client: holder, pool, signal }, () => takeMigrationLockAlone(holder));
      const found = await migrationState(pool, prismaFolder);
      if (found.failed.length > 0) await forgetUnfinished(pool);
      const state = found.failed.length > 0 ? await migrationState(pool, prismaFolder) : found;
      requireMatching(state);
      if (await isDone(state, pool)) return [];
      if (state.pending.length > 0) await requireRights(pool);
      if (state.pending.filter(only).some(createsTenantRole)) {
        const role = await readTenantRoleState(pool);
        if (!role.isAttainable) throw missingRoleError(role);
      }
      if (state.applied.length === 0) await requireEmpty(pool);
      else if (!lenient) await requireFreeSubdomains(pool, state.pending);
      if (!force) await requireNoOlder(pool, state.pending);
      if (!isUtc(await readSessionSettings(pool))) await setSessionSettings(pool);
      before = state.applied;
      await createHistory(pool);
      const pending = (await readMigrations(prismaFolder)).filter(
        ({ name }) => state.pending.includes(name) && only(name),
      );
      for (underWay of pending) await applyMigration(pool, underWay, { signal });
      underWay = undefined;
      return pending.map(({ name }) => name);
    } catch (error) {
      if (before !== undefined && (wasInterrupted(error) || signal.aborted)) {
        const readApplied = async () => (await migrationState(pool, prismaFolder)).applied;
        throw await interruptedMessage({ isInterrupted: signal.aborted, before, readApplied, cause: error });
      }
      if (signal.aborted) throw new StartupError('Interrupted: nothing was changed.', { cause: error });
      if (error instanceof StartupError) throw error;
      throw await afterFailure(pool, underWay, error);
    } finally {
      // Closed instead of reused, because the lock ends with the transaction.
      holder.release(true);
    }
  });
}

function isUpToDate(state: MigrationState): boolean {
  return [state.pending, state.failed, state.edited].every((names) => names.length === 0) && !isTooNew(state);
}

/** Whether a newer version of the gateway applied a migration that is incompatible with this one (compatibility.ts). */
export function isTooNew({ unknown }: MigrationState): boolean {
  return unknown.some(isIncompatible);
}

function requireMatching(state: MigrationState): void {
  const { pending, edited, unknown } = state;
  // Applies nothing on top of unknown migrations.
  if (isTooNew(state) || (unknown.length > 0 && pending.length > 0)) {
    throw new StartupError(
      `The database was migrated by a newer version of the gateway (${unknown.join(', ')} is not known here): start that version, or restore a backup from before it. While you develop a migration, use an empty database (docs/CONTRIBUTING.md).`,
    );
  }
  if (edited.length > 0) {
    throw new StartupError(
      `The migration ${edited.join(', ')} was changed after it was applied. Restore its file (git checkout prisma/migrations) and put changes into a new migration, or, while you develop it, use an empty database (docs/CONTRIBUTING.md).`,
    );
  }
}

/** Checks the rights to migrate. @throws StartupError with what is missing and what to run */
async function requireRights(pool: pg.Pool): Promise<void> {
  const obstacles = await findObstacles(pool);
  if (obstacles.length === 0) return;
  const said = obstacles.map(({ message, advice }) => `${message}: ${advice}`).join('\n  ');
  throw new StartupError(`The database cannot be migrated, and nothing was changed:\n  ${said}`);
}

/** The first migration requires a database without other tables, except those of extensions. */
async function requireEmpty(pool: pg.Pool): Promise<void> {
  const name = await findForeignTable(pool);
  if (name !== null)
    throw new StartupError(`${holdsForeignTables(name)}: name an empty database in DATABASE_URL.`);
}

/** Finds another application's table in a database without the gateway's tables; null if there is none. */
export async function findForeignTable(pool: pg.Pool): Promise<string | null> {
  const { rows } = await pool.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
        and relname <> '_prisma_migrations'
        and not exists (select from pg_depend
          where classid = 'pg_class'::regclass and objid = pg_class.oid and deptype = 'e')
      order by 1 limit 1`,
  );
  return rows[0]?.name ?? null;
}

export const holdsForeignTables = (name: string) =>
  `The database holds tables that are not the gateway's ("${name}")`;

/** Records that a migration failed. @returns the error to throw */
async function afterFailure(
  pool: pg.Pool,
  migration: Migration | undefined,
  error: unknown,
): Promise<StartupError> {
  const reason = (error instanceof Error ? error.message : String(error)).trim();
  if (migration !== undefined) await recordFailed(pool, migration, reason).catch(() => {});
  const what =
    migration === undefined
      ? `${reason} (check DATABASE_URL and the rights of its user, then start again).`
      : `${migration.name} failed and left nothing behind (${reason}): correct that, and start again.`;
  return new StartupError(`The database could not be migrated: ${what}`, { cause: error });
}
