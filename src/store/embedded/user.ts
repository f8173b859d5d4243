// Finds the user as which PostgreSQL runs if the gateway is root, and runs programs as that user. These programs do not get our
// environment, which may contain secrets that the user could read in /proc, and PG* variables that change their behaviour.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { StartupError } from '../../errors.ts';

const run = promisify(execFile);

/** A user of the machine, in the form that `spawn` takes. */
export interface SystemUser {
  uid: number;
  gid: number;
}

/** The environment of all programs of the database. */
export const CHILD_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/** Runs a shell script as the user, to its end; `args` are its $1, $2, ... True if it succeeded. */
export async function runAs(user: SystemUser, script: string, ...args: string[]): Promise<boolean> {
  try {
    await run('/bin/sh', ['-c', script, 'sh', ...args], { ...user, cwd: '/', env: CHILD_ENV });
    return true;
  } catch {
    return false;
  }
}

/** Whether the user can enter the folder. Asks the kernel, which also considers access control lists and mounts. */
export function canEnter(user: SystemUser, folder: string): Promise<boolean> {
  return runAs(user, 'cd "$1"', folder);
}

/** Finds an existing user that is not root. Never adds a user to the machine. */
export async function ordinaryUser(): Promise<SystemUser> {
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      // macOS prints the id of `nobody` as -2, which spawn accepts.
      return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {}
  }
  throw new StartupError(
    'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody": start as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  );
}
