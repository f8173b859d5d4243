// `backup`: writes a consistent snapshot of the embedded database into one file that only its owner can read. Works while a server is
// running.
import { link, open, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartupError } from '../errors.ts';
import { writeArchive } from '../store/backup/archive.ts';
import { withSnapshot } from '../store/backup/dump.ts';
import { countRows } from '../store/backup/load.ts';
import { type Manifest, rowsOf } from '../store/backup/manifest.ts';
import { findEmbedded } from '../store/embedded/inspect.ts';
import { migrationState } from '../store/migrations/migrations.ts';
import { type OpenDatabase, withDatabase } from './database.ts';
import { readKeptFiles, timeInNames } from './kept-files.ts';
import { createProgress } from './progress.ts';
import { SECRET_KEY_FILE } from './secret-key.ts';
import { type Program, report, type Shell } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway backup
  $ npx funnel-gateway backup /var/backups/gateway/ --json
  $ npx funnel-gateway backup nightly.tar.gz --no-secret-key

The file holds every row, and the secret key that is kept in DATA_DIR: whoever has it can read all data and sign tokens.
With DATABASE_URL use pg_dump, and keep SECRET_KEY beside it: docs/backup.md.`;

/** Adds the command. */
export function addBackup(program: Program, shell: Shell): void {
  program
    .command('backup')
    .argument('[file]', 'the file to write, or a folder to write it into; it must not exist')
    .option(
      '--no-secret-key',
      'leave out the secret key: without it people have to sign in again after a restore',
    )
    .addHelpText('after', EXAMPLES)
    .action((file, { secretKey }) => backup(shell, file, secretKey));
}

async function backup(shell: Shell, file: string | undefined, withKey: boolean): Promise<void> {
  const { config, secrets } = shell.settings();
  if (secrets.databaseUrl !== undefined)
    throw new StartupError(
      'The command backup is for the embedded database. For the server in DATABASE_URL: pg_dump --format=custom --no-owner --file=gateway.dump "$DATABASE_URL", and keep SECRET_KEY (or the file secret-key in DATA_DIR) beside it: see docs/backup.md.',
    );
  if ((await findEmbedded(config.dataDir)) === null)
    throw new StartupError(`There is no embedded database in ${config.dataDir}: nothing to back up.`);
  const target = await targetOf(file, new Date());
  await withDatabase(shell, async (database) => {
    if ((await migrationState(database.app.store.pool)).applied.length === 0)
      throw new StartupError(`The database in ${config.dataDir} is empty: nothing to back up.`);
    const files = await readKeptFiles(config.dataDir);
    const isKept = secrets.secretKeys.length === 0;
    if (!withKey || !isKept) files.delete(SECRET_KEY_FILE);
    const secretKey = files.has(SECRET_KEY_FILE) ? 'included' : isKept && withKey ? 'none' : 'not included';
    const manifest = await write(shell, database, target, files);
    const { size } = await stat(target);
    const rows = rowsOf(manifest);
    const migrations = manifest.migrations.map(({ name }) => name);
    const data = { file: target, bytes: size, rows, secret_key: secretKey, created_at: manifest.createdAt };
    report(shell, { ...data, migrations }, textOf(target, rows, size, KEY_TEXT[secretKey]));
  });
}

const KEY_TEXT = {
  included: 'It holds the secret key too: keep it as you keep passwords.',
  'not included': 'The secret key is not in it: keep SECRET_KEY, or the file secret-key, elsewhere.',
  none: 'There is no secret key yet: none has been needed.',
} as const;

function textOf(target: string, rows: number, bytes: number, key: string): string {
  const size = bytes < 1_000_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${target}\n\n${rows.toLocaleString('en')} rows, ${size}. ${key}\nTo put it back: npx funnel-gateway restore FILE`;
}

async function targetOf(file: string | undefined, now: Date): Promise<string> {
  const name = `funnel-gateway-${timeInNames(now)}.tar.gz`;
  const asked = resolve(file ?? name);
  const found = await stat(asked).catch(() => null);
  const target = found?.isDirectory() ? join(asked, name) : asked;
  if (found?.isFile() || (target !== asked && (await stat(target).catch(() => null)) !== null))
    throw exists(target);
  return target;
}

function exists(target: string): StartupError {
  return new StartupError(`${target} exists already: name another file.`);
}

/** Writes under a temporary name first: a file with the final name is always a complete backup. */
async function write(
  shell: Shell,
  { app, embedded }: OpenDatabase,
  target: string,
  files: ReadonlyMap<string, string>,
): Promise<Manifest> {
  const unfinished = `${target}.${shell.pid}.unfinished`;
  try {
    return await withSnapshot(embedded?.url ?? '', shell.signal, async ({ copy, ...content }) => {
      const manifest: Manifest = {
        format: 1,
        gateway: shell.version,
        createdAt: app.clock().toISOString(),
        ...content,
        files: [...files.keys()],
      };
      const progress = createProgress(shell, rowsOf(manifest), 'rows');
      const out = await open(unfinished, 'wx', 0o600);
      const archive = { manifest, files, copy: (table: string) => countRows(copy(table), progress.add) };
      await writeArchive(out, archive, shell.signal).finally(progress.stop);
      await putInPlace(unfinished, target);
      return manifest;
    });
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof StartupError) throw error;
    if (shell.signal.aborted) throw new StartupError('Interrupted: no backup was written.');
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw new StartupError(
      `${target} cannot be written (${code === 'ENOSPC' ? 'the disk is full' : message}).`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Gives the file its final name, unless that name is taken. On file systems without hard links the name may be overwritten if another
 * process takes it at the same moment.
 */
async function putInPlace(unfinished: string, target: string): Promise<void> {
  try {
    await link(unfinished, target);
    await rm(unfinished);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw exists(target);
    await rename(unfinished, target);
  }
}
