// Prepares the store for `serve`, and collects the facts for the banner.
import { networkInterfaces } from 'node:os';
import type { Config } from '../../config/config.ts';
import type { App } from '../../context.ts';
import { StartupError } from '../../errors.ts';
import { createDemoLink, type PrintedDemoLink } from '../../graphiql/demo-link.ts';
import { signingKeyHealth } from '../../services/operator/signing-keys.ts';
import { earlierHomes } from '../../store/embedded/data-folder.ts';
import { migrationState } from '../../store/migrations/migrations.ts';
import { findFirstWorkspaceId, hasAnyTeam } from '../../store/seed/workspaces.ts';
import { NO_REPLICAS } from '../../store/shard-placement/placement.ts';
import { addressesOf, type BannerFacts, banner, WRONG_SECRET_KEY } from '../banner.ts';
import { bringUpToDate, type OpenDatabase } from '../database.ts';
import { type DemoKey, findDemoKey, seed } from '../demo.ts';
import { report, type Shell } from '../shell.ts';

/** Printed at the first signal. */
export const STOPPING = 'Stopping. Requests under way may end; Ctrl-C again stops at once.';

export interface ServeOptions {
  /** Absent: with the embedded database. */
  readonly demo: boolean | undefined;
  readonly migrate: boolean;
}

type Prepared = Pick<BannerFacts, 'data' | 'store' | 'demoKey' | 'workspaceId' | 'isSecretKeyWrong'>;

/**
 * Applies migrations and creates demo data, as the options say.
 * @throws StartupError when a migration cannot be applied, or replicas are configured for a store that reads none
 */
export async function prepare(
  database: OpenDatabase,
  { demo, migrate }: ServeOptions,
  signal: AbortSignal,
): Promise<Prepared> {
  const { app, embedded } = database;
  const data = embedded && {
    folder: embedded.dataDir,
    relocated: embedded.relocated,
    earlier: await earlierHomes(app.config.dataDir, embedded.dataDir),
  };
  if (migrate) await bringUpToDate(app, signal);
  else if ((await migrationState(app.store.pool)).pending.length > 0)
    return { data, store: 'not migrated', demoKey: null, workspaceId: null, isSecretKeyWrong: false };
  if (app.store.replicas !== null && !(await app.store.placement.rules()).readsReplicas)
    throw new StartupError(`DATABASE_REPLICA_URLS: ${NO_REPLICAS}: take it out.`);
  if (demo ?? embedded !== null) await seed(database);
  return { data, ...(await describeStore(database)) };
}

async function describeStore(database: OpenDatabase): Promise<Omit<Prepared, 'data'>> {
  const { app } = database;
  const [hasOne, demoKey, isSecretKeyWrong] = await Promise.all([
    hasAnyTeam(app.store),
    findDemoKey(database),
    findsWrongSecretKey(app),
  ]);
  const workspaceId = demoKey && (await findFirstWorkspaceId(app.store, demoKey.teamId));
  return { store: hasOne ? 'ready' : 'empty', demoKey, workspaceId, isSecretKeyWrong };
}

/** Whether the store has signing keys that no secret key of this process decrypts. Logs that. */
async function findsWrongSecretKey(app: App): Promise<boolean> {
  // Without a readable secret key requests work that need none.
  const { keys, opened } = await signingKeyHealth(app).catch(() => ({ keys: 1, opened: 0 }));
  const isWrong = keys > 0 && opened === 0;
  if (isWrong) app.log.error({ keys }, WRONG_SECRET_KEY);
  return isWrong;
}

/** A link that signs in, only for a terminal, never for a log, a pipe or a script. */
export function createDemoLinkFor(
  { stdout, json }: Shell,
  demoKey: DemoKey | null,
  { clock, config }: { clock: () => Date; config: Pick<Config, 'graphiql'> },
): PrintedDemoLink | null {
  return stdout.isTTY && !json && demoKey !== null && config.graphiql
    ? createDemoLink(demoKey.token, clock)
    : null;
}

/** Prints the banner, or one line of JSON. */
export function printBanner(shell: Shell, known: Omit<BannerFacts, 'networkAddresses'>): void {
  const facts = { ...known, networkAddresses: networkAddresses() };
  const { demoKey, demoPerson, data } = facts;
  const printed = {
    ...addressesOf(facts),
    ...(demoKey !== null && { demoKey: demoKey.token }),
    ...(demoPerson !== null && { demoEmail: demoPerson.email, demoPassword: demoPerson.password }),
    dataDir: data?.folder ?? null,
    pid: shell.pid,
  };
  report(shell, printed, banner(facts));
}

/** This machine's IPv4 addresses that other machines may reach. */
function networkAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
}
