// Creates a new PostgreSQL cluster, and checks an existing one.
import { type ExecFileException, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chown,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  rmdir,
  writeFile,
} from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { StartupError } from '../../errors.ts';
import { ADMINISTRATOR, OVER_TCP, PASSWORD_FILE } from './address.ts';
import type { Binaries } from './binaries.ts';
import { allowGroupToEnter, type DataFolder } from './data-folder.ts';
import { codeOf, explainingLine, isDiskFull, messageOf } from './failure.ts';
import { ownerStatements } from './owner.ts';
import { cannotStartProgram, diskFull } from './postmaster.ts';
import { readSmallFile } from './trust.ts';
import { CHILD_ENV, runAs, type SystemUser } from './user.ts';

const DRAFT = 'postgres.new-';
const ABANDONED_AFTER_MS = 10 * 60_000;

/** Whether there is a cluster that these binaries can run. @throws StartupError if it has another version */
export async function hasCluster(dataFolder: DataFolder, binaries: Binaries): Promise<boolean> {
  const version = await readSmallFile(join(dataFolder.cluster, 'PG_VERSION'));
  if (version === '' || version.trim() === binaries.major) return version !== '';
  throw new StartupError(
    `The database in ${dataFolder.cluster} was made by PostgreSQL ${version.trim()}, and this is PostgreSQL ${binaries.major}: make a backup with the version of the gateway that made it, move that folder away, and restore the backup with this version (docs/backup.md).`,
  );
}

/**
 * Creates the cluster under another name and renames it, so that a killed process leaves no incomplete cluster. The folder around it stays
 * ours, so that PostgreSQL's user cannot replace it.
 */
export async function createCluster(dataFolder: DataFolder, binaries: Binaries): Promise<void> {
  await removeAbandoned(dataFolder);
  const draft = await mkdtemp(join(dataFolder.home, DRAFT)).catch((error) => {
    throw codeOf(error) === 'ENOSPC' ? diskFull(dataFolder.home) : notWritable(dataFolder, error);
  });
  try {
    const made = join(draft, 'cluster');
    await mkdir(made, { mode: 0o700 });
    if (dataFolder.user) {
      await chown(made, dataFolder.user.uid >>> 0, dataFolder.user.gid >>> 0);
      await allowGroupToEnter(dataFolder.user, draft, draft);
    }
    const password = OVER_TCP ? randomBytes(24).toString('hex') : null;
    await initdb(dataFolder, binaries, made, await authentication(draft, password));
    await runAlone(dataFolder, binaries, made, ownerStatements(password));
    if (OVER_TCP) await copyFile(join(draft, PASSWORD_FILE), join(made, PASSWORD_FILE));
    await rename(made, dataFolder.cluster);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    // Uses the cluster of another process that was faster.
    if (!(await hasCluster(dataFolder, binaries))) throw notWritable(dataFolder, error);
  } finally {
    await removeDraft(draft, dataFolder.user);
  }
}

async function authentication(draft: string, password: string | null): Promise<string[]> {
  if (password === null) return ['--auth-local=trust', '--auth-host=reject'];
  const file = join(draft, PASSWORD_FILE);
  await writeFile(file, password, { mode: 0o600 });
  return ['--auth-local=scram-sha-256', '--auth-host=scram-sha-256', `--pwfile=${file}`];
}

async function initdb(
  dataFolder: DataFolder,
  binaries: Binaries,
  folder: string,
  auth: string[],
): Promise<void> {
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = [`--pgdata=${folder}`, `--username=${ADMINISTRATOR}`, ...locale, ...auth];
  await runProgram(dataFolder, binaries.initdb, args);
}

/** Executes statements in a cluster without a running server. */
async function runAlone(
  dataFolder: DataFolder,
  binaries: Binaries,
  folder: string,
  statements: readonly string[],
): Promise<void> {
  const args = [
    '--single',
    '-D',
    folder,
    '-c',
    'exit_on_error=true',
    '-c',
    'log_checkpoints=off',
    'postgres',
  ];
  await runProgram(dataFolder, binaries.postgres, args, statements.map((each) => `${each}\n`).join(''));
}

/** Runs a program to its end. @param input its standard input @throws StartupError with the end of its output */
async function runProgram(
  dataFolder: DataFolder,
  program: string,
  args: readonly string[],
  input = '',
): Promise<void> {
  const options = { ...dataFolder.user, cwd: '/', env: CHILD_ENV, windowsHide: true };
  const running = promisify(execFile)(program, args, options);
  // A program that did not start reads nothing; its own error explains why.
  running.child.stdin?.on('error', () => {});
  running.child.stdin?.end(input);
  const failed = await running.then(
    () => null,
    (error: ExecFileException) => error,
  );
  if (failed === null) return;
  // A string is a system error code, which means that the program did not start.
  if (typeof failed.code === 'string') throw cannotStartProgram(program, failed);
  const output = `${failed.stdout}\n${failed.stderr}`;
  if (isDiskFull(output)) throw diskFull(dataFolder.home);
  if (/could not look up effective user ID/.test(output)) {
    throw new StartupError(
      'PostgreSQL cannot make a database for a user whom this machine has no name for: add the user to /etc/passwd, or set DATABASE_URL to a PostgreSQL server.',
    );
  }
  throw new StartupError(
    `PostgreSQL could not make a new database in ${dataFolder.home} (${explainingLine(output)}): choose another data folder, or set DATABASE_URL to a PostgreSQL server.`,
  );
}

function notWritable(dataFolder: DataFolder, error: unknown): StartupError {
  return new StartupError(
    `PostgreSQL's data cannot be put into ${dataFolder.cluster} (${messageOf(error)}): move away what is there, or choose another data folder.`,
    { cause: error },
  );
}

/** Removes the leftovers of killed initdb processes, except recent ones, which another process may be using. */
async function removeAbandoned({ home, user }: DataFolder): Promise<void> {
  const names = await readdir(home).catch(() => []);
  for (const path of names
    .filter((name) => name.startsWith(DRAFT))
    .map((name) => join(home, basename(name)))) {
    const found = await lstat(path).catch(() => null);
    if (found && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS) await removeDraft(path, user);
  }
}

/** Removes files of PostgreSQL's user as that user. As root, a link placed there meanwhile could redirect the removal. */
async function removeDraft(draft: string, user: SystemUser | null): Promise<void> {
  if (!user) return rm(draft, { recursive: true, force: true });
  const made = join(draft, 'cluster');
  // This cannot remove the folder itself, which is inside ours.
  await runAs(user, 'rm -rf "$1"', made);
  for (const folder of [made, draft]) await rmdir(folder).catch(() => {});
}
