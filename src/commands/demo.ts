// The demo data with its two secrets: the demo key, which is the first team's default API key, and the password of the
// demo's person. They are kept in the data folder so that the banner can show them again, for each database in files of its
// own. The files are only copies: a secret counts while the store knows it.
import { createHash } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createToken, hashOf } from '../auth/tokens.ts';
import type { App } from '../context.ts';
import { hashPassword, verifyPassword } from '../services/passwords.ts';
import { findApiKey } from '../store/accounts/api-keys.ts';
import { findUserByEmail } from '../store/accounts/users.ts';
import { DEMO_EMAIL } from '../store/demo/people.ts';
import { type DemoSummary, seedDemo } from '../store/demo/seed.ts';
import { makeTrusted, requireTrusted } from '../store/embedded/trust.ts';
import { addressOf, type OpenDatabase } from './database.ts';
import { createPassword } from './passwords.ts';

export interface DemoKey {
  readonly token: string;
  readonly teamId: bigint;
}

/** Who can sign in to the demo. */
export interface DemoPerson {
  readonly email: string;
  readonly password: string;
}

/** The demo as it was seeded; without a person where somebody had her e-mail address already. */
export type SeededDemo = DemoSummary & { readonly demoKey: string; readonly person: DemoPerson | null };

export const KEY_FILE = 'demo-key';
export const DEMO_PASSWORD_FILE = 'demo-password';

/** Seeds the demo data; null when the store holds a team already. */
export async function seed(database: OpenDatabase): Promise<SeededDemo | null> {
  const { app } = database;
  let demoKey = '';
  let person: DemoPerson | null = null;
  // Secrets are kept before the transaction ends: once others see the data, they are there too.
  const summary = await seedDemo(app.store, app.clock(), {
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
  });
  return summary === null ? null : { ...summary, demoKey, person };
}

/** The kept key, if this store still takes it. */
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

/** The demo's person with the kept password, if it is still hers. */
export async function findDemoPerson(database: OpenDatabase): Promise<DemoPerson | null> {
  const { app } = database;
  const password = await readKept(app, fileOf(DEMO_PASSWORD_FILE, database));
  if (password === '') return null;
  const user = await findUserByEmail(app.store, DEMO_EMAIL);
  if (user === null || user.disabledAt !== null) return null;
  return (await verifyPassword(password, user.passwordHash)) ? { email: user.email, password } : null;
}

/** The file of a credential: with the embedded database the plain name, with any other its address is part of it. */
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

/** Kept where only this user can read it. A folder that cannot be written, or is not safe, is no reason to refuse the demo. */
async function keep(app: App, name: string, secret: string): Promise<void> {
  const file = join(app.config.dataDir, name);
  const unfinished = `${file}.new`;
  try {
    makeTrusted(app.config.dataDir);
    await writeFile(unfinished, `${secret}\n`, { mode: 0o600 });
    // The mode above counts only for a file that was not there.
    await chmod(unfinished, 0o600);
    await rename(unfinished, file);
  } catch (error) {
    app.log.warn({ err: error }, `the ${name} could not be kept`);
  }
}
