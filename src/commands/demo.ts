// The demo data, and the demo key: the first team's default API key, which is kept in the data folder so that the banner
// can show it again. The file is only a copy: the key counts while the store knows it.
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createToken, hashOf } from '../auth/tokens.ts';
import type { App } from '../context.ts';
import { findApiKey } from '../store/api-keys.ts';
import { type DemoSummary, seedDemo } from '../store/demo/seed.ts';

export interface DemoKey {
  readonly token: string;
  readonly teamId: bigint;
}

/** Seeds the demo data; null when the store holds a team already. */
export async function seed(app: App): Promise<(DemoSummary & { demoKey: string }) | null> {
  let demoKey = '';
  const summary = await seedDemo(app.store, app.clock(), async () => {
    const { token, hash, hint } = createToken();
    if (demoKey === '') {
      demoKey = token;
      // Before the transaction ends: once others see the data, the key is there too.
      await keepKey(app, token);
    }
    return { hash, hint };
  });
  return summary === null ? null : { ...summary, demoKey };
}

/** The kept key, if this store still takes it. */
export async function findDemoKey(app: App): Promise<DemoKey | null> {
  const text = await readFile(fileOf(app), 'utf8').catch(() => '');
  const token = text.trim();
  const hash = hashOf(token);
  const key = hash === null ? null : await findApiKey(app.store, hash);
  if (key === null) return null;
  const now = app.clock();
  const ended = [key.revokedAt, key.expiresAt].some((end) => end !== null && end <= now);
  return ended ? null : { token, teamId: key.teamId };
}

/** Kept where only this user can read it. A folder that cannot be written is no reason to refuse the demo. */
async function keepKey(app: App, token: string): Promise<void> {
  const file = fileOf(app);
  const unfinished = `${file}.new`;
  try {
    await mkdir(app.config.dataDir, { recursive: true, mode: 0o700 });
    await writeFile(unfinished, `${token}\n`, { mode: 0o600 });
    // The mode above counts only for a file that was not there.
    await chmod(unfinished, 0o600);
    await rename(unfinished, file);
  } catch (error) {
    app.log.warn({ err: error }, 'the demo key could not be kept: it is shown this once');
  }
}

function fileOf(app: App): string {
  return join(app.config.dataDir, 'demo-key');
}
