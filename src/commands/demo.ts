// The demo data and its two secrets: the demo key, which is the first team's default API key, and the password of the demo's person. The
// data folder stores them so that the banner can show them again, in separate files for each database. The files are only copies: a
// secret is valid as long as the store accepts it.
import { createHash } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createToken, hashOf } from '../auth/tokens.ts';
import type { App } from '../context.ts';
import { hashPassword, verifyPassword } from '../services/sign-in/passwords.ts';
import { findApiKey } from '../store/accounts/api-keys.ts';
import { findUserByEmail } from '../store/accounts/users.ts';
import { DEMO_EMAIL } from '../store/demo/person.ts';
import type { DemoSecrets, DemoSummary } from '../store/demo/seed.ts';
import { makeTrusted, requireTrusted } from '../store/embedded/trust.ts';
import { hasAnyTeam } from '../store/seed/workspaces.ts';
import { addressOf, type OpenDatabase } from './database.ts';
import { attemptsMadeUpFor } from './demo-deliveries.ts';
import { createPassword } from './passwords.ts';

export interface DemoKey {
  readonly token: string;
  readonly teamId: bigint;
}

/** The person who can sign in to the demo. */
export interface DemoPerson {
  readonly email: string;
  readonly password: string;
}

/** The seeded demo; `person` is null if her e-mail address was taken. */
export type SeededDemo = DemoSummary & { readonly demoKey: string; readonly person: DemoPerson | null };

export const KEY_FILE = 'demo-key';
export const DEMO_PASSWORD_FILE = 'demo-password';

/** Seeds the demo data; null when the store already has a team. */
export async function seed(database: OpenDatabase): Promise<SeededDemo | null> {
  const { app } = database;
  // Checks this before it loads the demo's data, because most stores have their own.
  if (await hasAnyTeam(app.store)) return null;
  const { seedDemo } = await import('../store/demo/seed.ts');
  let demoKey = '';
  let person: DemoPerson | null = null;
  // Stores secrets before the transaction commits, so that they exist when other processes see the data.
  const secrets: DemoSecrets = {
    async issueKey() {
      const { token, hash, hint } = createToken();
      if (demoKey === '') {
        demoKey = token;
        await keep(app, fileOf(KEY_FILE, database), token);
      }
      return { hash, hint };
    },
    async issuePassword() {
      const password = createPassword();
      person = { email: DEMO_EMAIL, password };
      await keep(app, fileOf(DEMO_PASSWORD_FILE, database), password);
      return hashPassword(password);
    },
  };
  const summary = await seedDemo(app.store, app.clock(), secrets, attemptsMadeUpFor(app));
  return summary === null ? null : { ...summary, demoKey, person };
}

/** The stored key, if this database still accepts it. */
export async function findDemoKey(database: OpenDatabase): Promise<DemoKey | null> {
  const { app } = database;
  const token = await readKept(app, fileOf(KEY_FILE, database));
  const hash = hashOf(token);
  const key = hash === null ? null : await findApiKey(app.store, hash);
  if (key === null) return null;
  const now = app.clock();
  const ended = [key.revokedAt, key.expiresAt].some((end) => end !== null && end <= now);
  return ended ? null : { token, teamId: key.teamId };
}

/** The demo's person with the stored password, if it is still valid. */
export async function findDemoPerson(database: OpenDatabase): Promise<DemoPerson | null> {
  const { app } = database;
  const password = await readKept(app, fileOf(DEMO_PASSWORD_FILE, database));
  if (password === '') return null;
  const user = await findUserByEmail(app.store, DEMO_EMAIL);
  if (user === null || user.disabledAt !== null) return null;
  return (await verifyPassword(password, user.passwordHash)) ? { email: user.email, password } : null;
}

/** The file name of a credential: the plain name for the embedded database; for another database it contains a hash of the address. */
export function fileOf(name: string, { app, embedded }: OpenDatabase): string {
  if (embedded !== null) return name;
  const address = addressOf(app.store.connection.connectionString ?? '');
  return `${name}-${createHash('sha256').update(address).digest('hex').slice(0, 12)}`;
}

async function readKept(app: App, file: string): Promise<string> {
  try {
    requireTrusted(app.config.dataDir);
    return (await readFile(join(app.config.dataDir, file), 'utf8')).trim();
  } catch {
    return '';
  }
}

/** Stores a secret in a file that only this user can read. If the folder is not writable or not safe, the demo still works. */
async function keep(app: App, name: string, secret: string): Promise<void> {
  const file = join(app.config.dataDir, name);
  const unfinished = `${file}.new`;
  try {
    makeTrusted(app.config.dataDir);
    await writeFile(unfinished, `${secret}\n`, { mode: 0o600 });
    // The mode above applies only to a new file.
    await chmod(unfinished, 0o600);
    await rename(unfinished, file);
  } catch (error) {
    app.log.warn({ err: error }, `the ${name} could not be kept`);
  }
}
