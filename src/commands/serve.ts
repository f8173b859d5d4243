// `serve`: the gateway itself. Opens the database, brings it up to date, listens, and stops cleanly.

import { VARIABLES } from '../config/variables.ts';
import type { App } from '../context.ts';
import type { Listener } from '../http/listener.ts';
import type { Logger } from '../log.ts';
import { hasTeam } from '../store/demo/seed.ts';
import { applyMigrations, migrationState } from '../store/migrations.ts';
import { findFirstWorkspaceId } from '../store/seed/workspaces.ts';
import { requireReads } from '../store/store.ts';
import { addressesOf, type BannerFacts, banner } from './banner.ts';
import { type OpenDatabase, withDatabase } from './database.ts';
import { findDemoKey, findDemoPerson, seed } from './demo.ts';
import { type Program, remark, report, type Shell, table } from './shell.ts';
import { createTelemetry } from './telemetry.ts';

interface ServeOptions {
  /** Absent: with the embedded database. */
  readonly demo: boolean | undefined;
  readonly migrate: boolean;
}

/** Adds the command. */
export function addServe(program: Program, shell: Shell): void {
  program
    .command('serve')
    .description('start the gateway; without DATABASE_URL with a PostgreSQL of its own')
    .option('--demo', 'put demo data into a store that has no team yet (default with the embedded database)')
    .option('--no-demo', 'leave an empty store empty')
    .option('--no-migrate', 'do not apply pending migrations')
    .addHelpText('after', help())
    .action((options) => serve(shell, program.opts().json, { ...options, demo: options.demo }));
}

async function serve(shell: Shell, json: boolean | undefined, options: ServeOptions): Promise<void> {
  const { config } = shell.settings();
  // Loading takes as long as the database takes to start: both at once.
  const server = import('../http/listener.ts');
  server.catch(() => {});
  const metricsServer = import('../http/metrics-listener.ts');
  metricsServer.catch(() => {});
  const observe = (log: Logger) => createTelemetry(shell, log);
  await withDatabase(
    shell,
    async (database) => {
      const [prepared] = await Promise.all([prepare(database, options), requireReads(database.app.store)]);
      // Looks at a password, which takes as long as making the server: both at once.
      const person = prepared.store === 'ready' ? findDemoPerson(database.app) : Promise.resolve(null);
      person.catch(() => {});
      const [{ listen }, { listenForMetrics }] = await Promise.all([server, metricsServer]);
      if (shell.signal.aborted) return;
      const metricsListener = await listenForMetrics(database.app);
      let listener: Listener | undefined;
      try {
        listener = await listen(database.app);
        const demoPerson = await person;
        const metricsPort = metricsListener?.port ?? null;
        const facts: BannerFacts = { config, port: listener.port, metricsPort, demoPerson, ...prepared };
        const data = {
          ...addressesOf(facts),
          ...(facts.demoKey !== null && { demoKey: facts.demoKey.token }),
          ...(demoPerson !== null && { demoEmail: demoPerson.email, demoPassword: demoPerson.password }),
          dataDir: facts.data?.folder ?? null,
          pid: shell.pid,
        };
        report(shell, json, data, banner(facts));
        await aborted(shell.signal);
        remark(shell, json, 'Stopping. Requests under way may end; Ctrl-C again stops at once.');
      } finally {
        await listener?.close();
        await metricsListener?.close();
      }
    },
    observe,
  );
}

/** Makes the store ready, and finds out what the banner says of it. */
async function prepare(
  { app, embedded }: OpenDatabase,
  { demo, migrate }: ServeOptions,
): Promise<Omit<BannerFacts, 'config' | 'port' | 'metricsPort' | 'demoPerson'>> {
  const data = embedded && { folder: embedded.dataDir, relocated: embedded.relocated };
  if (migrate) await applyMigrations(app.store.pool);
  else if ((await migrationState(app.store.pool)).pending.length > 0)
    return { data, store: 'not migrated', demoKey: null, workspaceId: null };
  if (demo ?? embedded !== null) await seed(app);
  return { data, ...(await describeStore(app)) };
}

async function describeStore(app: App): Promise<Pick<BannerFacts, 'store' | 'demoKey' | 'workspaceId'>> {
  const [isEmpty, demoKey] = await Promise.all([hasTeam(app.store).then((has) => !has), findDemoKey(app)]);
  const workspaceId = demoKey && (await findFirstWorkspaceId(app.store, demoKey.teamId));
  return { store: isEmpty ? 'empty' : 'ready', demoKey, workspaceId };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function help(): string {
  const rows = VARIABLES.map(([name, fallback, meaning]) => [
    `  ${name}`,
    fallback === '' ? '-' : fallback,
    meaning,
  ]);
  return `
Environment variables, also read from a file .env in the current folder:
${table(['  NAME', 'DEFAULT', 'MEANING'], rows)}

Examples:
  $ npx funnel-gateway serve
  $ PORT=8080 npx funnel-gateway serve --no-demo
  $ DATABASE_URL=postgresql://user:password@localhost/gateway npx funnel-gateway serve`;
}
