// `restore`: replaces the embedded database by a backup. It reads and checks the complete file before it changes anything.
import { type FileHandle, open } from 'node:fs/promises';
import { platform } from 'node:os';
import { resolve } from 'node:path';
import type { App } from '../context.ts';
import { AppError, StartupError } from '../errors.ts';
import { signingKeyHealth } from '../services/operator/signing-keys.ts';
import { keepDaysOf } from '../services/partitions.ts';
import { type ArchiveReader, readArchive } from '../store/backup/archive.ts';
import { dropReplaced, hasRows, replaceStore, requireLoadable, rowCountOf } from '../store/backup/load.ts';
import { type Manifest, rowsOf } from '../store/backup/manifest.ts';
import type { EmbeddedDatabase } from '../store/embedded/embedded.ts';
import { findEmbedded } from '../store/embedded/inspect.ts';
import { type OpenDatabase, withDatabase } from './database.ts';
import { writeKeptFiles } from './kept-files.ts';
import { createProgress } from './progress.ts';
import { type Program, printRemark, report, type Shell } from './shell.ts';

const EXAMPLES = `
Examples:
  $ npx funnel-gateway restore funnel-gateway-20261122T093000Z.tar.gz
  $ DATA_DIR=/var/lib/gateway npx funnel-gateway restore nightly.tar.gz --replace

No gateway may be running on DATA_DIR. The store that is there is replaced only with --replace, and only once the backup
is whole; pending migrations are applied to it. Into DATABASE_URL: pg_restore, see docs/backup.md.`;

/** Adds the command. */
export function addRestore(program: Program, shell: Shell): void {
  program
    .command('restore')
    .argument('<file>', 'the backup')
    .option('--replace', 'replace a store that holds data; that data is lost')
    .addHelpText('after', EXAMPLES)
    .action((file, { replace = false }) => restore(shell, resolve(file), replace));
}

async function restore(shell: Shell, path: string, replace: boolean): Promise<void> {
  const { config, secrets } = shell.settings();
  if (secrets.databaseUrl !== undefined)
    throw new StartupError(
      'The command restore is for the embedded database. For the server in DATABASE_URL: pg_restore --no-owner --dbname="$DATABASE_URL" gateway.dump, with the SECRET_KEY of that store: see docs/backup.md.',
    );
  const file = await openFile(path);
  try {
    const manifest = await verify(shell, file, path);
    if (platform() !== 'win32' && ((await file.stat()).mode & 0o077) !== 0)
      printRemark(shell, `Others may read ${path}, which holds secrets: chmod 600 ${path}`);
    const isNew = (await findEmbedded(config.dataDir)) === null;
    await withDatabase(
      shell,
      async (database) => {
        const { app, embedded } = database;
        if (embedded === null) throw new Error('There is no embedded database.');
        await requireReplaceable(embedded, isNew, replace);
        const { earlierKey, erased } = await load(shell, { app, embedded }, file, manifest);
        const rows = rowsOf(manifest);
        const { canSign, keys } = await checkKeys(database);
        if (!canSign) printRemark(shell, SEALED);
        const data = { file: path, rows, created_at: manifest.createdAt, gateway: manifest.gateway };
        const kept =
          earlierKey === null ? '' : `\nThe secret key that was there before is kept in ${earlierKey}.`;
        const where = embedded.dataDir;
        report(
          shell,
          {
            ...data,
            data_dir: where,
            files: manifest.files,
            earlier_secret_key: earlierKey,
            signing_keys: keys,
            erased_again: erased,
          },
          `${rows.toLocaleString('en')} rows of ${manifest.createdAt} are restored in ${where}.${kept}${erasedText(erased)}`,
        );
        if (isNew) printRemark(shell, NOBODY_KNOWN);
      },
      { stopsItself: true },
    );
  } finally {
    await file.close();
  }
}

const NOBODY_KNOWN =
  'No store was here that knew who has been erased since the backup. If you keep a list: npx funnel-gateway erasures apply FILE';

function erasedText(erased: number): string {
  return erased === 0 ? '' : `\nContacts that had been erased since, and are erased again: ${erased}.`;
}

const SEALED =
  'No secret key here opens the signing keys of the store: set SECRET_KEY to the one that it had. Otherwise a new signing key is made, and people sign in again.';

async function openFile(path: string): Promise<FileHandle> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    throw new StartupError(`${path} cannot be read (${error.code ?? error.message}).`, { cause: error });
  });
  const found = await file.stat();
  if (!found.isFile()) {
    await file.close();
    throw new StartupError(`${path} is not a file.`);
  }
  return file;
}

/** Reads the complete file once, without changing anything. @throws StartupError saying why a file cannot be restored */
async function verify({ signal }: Shell, file: FileHandle, path: string): Promise<Manifest> {
  let archive: ArchiveReader | undefined;
  try {
    archive = await readArchive(file);
    for (const { name, rows } of archive.manifest.tables) {
      let found = 0;
      for await (const piece of archive.copy(name)) {
        signal.throwIfAborted();
        found += rowCountOf(piece);
      }
      if (found !== rows) throw new Error(`it holds ${found} rows of ${name} in place of ${rows}`);
    }
    await archive.finish();
  } catch (cause) {
    if (signal.aborted) throw new StartupError('Interrupted: nothing was changed.', { cause });
    // A truncated stream has no error message of its own.
    const why = (cause instanceof Error && cause.message) || 'it is cut short or damaged';
    throw new StartupError(`${path} is not a complete backup (${why}). Nothing was changed.`, { cause });
  } finally {
    await archive?.close();
  }
  await requireLoadable(archive.manifest.migrations);
  return archive.manifest;
}

async function requireReplaceable(
  embedded: EmbeddedDatabase,
  isNew: boolean,
  replace: boolean,
): Promise<void> {
  if (!(await embedded.claim()))
    throw new AppError(
      'conflict',
      `A gateway or a command is using the database in ${embedded.dataDir}: stop it first. Nothing was changed.`,
    );
  if (!isNew && !replace && (await hasRows(embedded.url)))
    throw new AppError(
      'conflict',
      `The store in ${embedded.dataDir} holds data: restore with --replace to lose that, or into another DATA_DIR. Nothing was changed.`,
    );
}

/** @returns the path of the saved previous secret key, if there was another one; the number of contacts erased again */
async function load(
  shell: Shell,
  { app, embedded }: { readonly app: App; readonly embedded: EmbeddedDatabase },
  file: FileHandle,
  manifest: Manifest,
): Promise<{ earlierKey: string | null; erased: number }> {
  const progress = createProgress(shell, rowsOf(manifest), 'rows');
  const archive = await readArchive(file);
  const { dataDir } = app.config;
  let files: Awaited<ReturnType<typeof writeKeptFiles>> | undefined;
  let erased: number;
  try {
    erased = await replaceStore(embedded, archive, {
      signal: shell.signal,
      keepDays: keepDaysOf(app),
      onRows: progress.add,
      beforeSwap: async () => {
        files = await writeKeptFiles(dataDir, archive.files, app.clock());
      },
    });
  } catch (error) {
    await files?.discard();
    throw notLoaded(shell, error);
  } finally {
    progress.stop();
    await archive.close();
  }
  // Without delay, because until then the database and the stored secret key do not match.
  await files?.place();
  await dropReplaced(embedded);
  return { earlierKey: files?.earlierKey ?? null, erased };
}

function notLoaded(shell: Shell, cause: unknown): unknown {
  if (shell.signal.aborted) return new StartupError('Interrupted: the store is as it was.');
  if (cause instanceof StartupError || cause instanceof AppError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StartupError(`The backup could not be loaded (${why}): the store is as it was.`, { cause });
}

/** Whether a configured or stored secret key decrypts the current signing key. */
async function checkKeys({ app }: OpenDatabase): Promise<{ canSign: boolean; keys: number }> {
  const { keys, opened } = await signingKeyHealth(app);
  return { canSign: keys === 0 || opened > 0, keys };
}
