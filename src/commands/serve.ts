// `serve`: the gateway itself. Opens the database, brings it up to date, listens, and stops cleanly.
import { networkInterfaces } from 'node:os';
import { VARIABLES } from '../config/variables.ts';
import type { App } from '../context.ts';
import { createDemoLink, type DemoLink } from '../graphiql/demo-link.ts';
import type { Listener } from '../http/listener.ts';
import { type ListWatch, startListWatch } from '../jobs/list-watch.ts';
import { type PartitionKeeper, startPartitionKeeper } from '../jobs/partition-keeper.ts';
import type { Logger } from '../log.ts';
import { hasAnyTeam } from '../store/demo/seed.ts';
import { migrationState } from '../store/migrations.ts';
import { findFirstWorkspaceId } from '../store/seed/workspaces.ts';
import { requireReads } from '../store/store.ts';
import { aborted } from './aborted.ts';
import { addressesOf, type BannerFacts, banner } from './banner.ts';
import { bringUpToDate, type OpenDatabase, withDatabase } from './database.ts';
import { type DemoKey, findDemoKey, findDemoPerson, seed } from './demo.ts';
import { type Program, remark, report, type Shell, table } from './shell.ts';
import { createTelemetry } from './telemetry.ts';
import { type RunningWorker, startWorker } from './worker.ts';

interface ServeOptions {
  /** Absent: with the embedded database. */
  readonly demo: boolean | undefined;
  readonly migrate: boolean;
}

/** Adds the command. */
export function addServe(program: Program, shell: Shell): void {
  program
    .command('serve')
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
      const person = prepared.store === 'ready' ? findDemoPerson(database) : Promise.resolve(null);
      person.catch(() => {});
      const [{ listen }, { listenForMetrics }] = await Promise.all([server, metricsServer]);
      if (shell.signal.aborted) return;
      const demoLink = createDemoLinkFor(shell, json, prepared.demoKey, database.app);
      const metricsListener = await listenForMetrics(database.app);
      let listener: Listener | undefined;
      let worker: RunningWorker | undefined;
      let watch: ListWatch | undefined;
      let keeper: PartitionKeeper | undefined;
      try {
        listener = await listen(database.app, demoLink);
        database.app.store.watchDatabase();
        const demoPerson = await person;
        const { port } = listener;
        const facts: BannerFacts = {
          ...{ config, port, demoPerson, ...prepared },
          metricsPort: metricsListener?.port ?? null,
          demoCode: demoLink?.code ?? null,
          networkAddresses: networkAddresses(),
        };
        const data = {
          ...addressesOf(facts),
          ...(facts.demoKey !== null && { demoKey: facts.demoKey.token }),
          ...(demoPerson !== null && { demoEmail: demoPerson.email, demoPassword: demoPerson.password }),
          dataDir: facts.data?.folder ?? null,
          pid: shell.pid,
        };
        report(shell, json, data, banner(facts));
        if (config.jobs) worker = startWorker(shell, database.app);
        watch = startListWatch(database.app);
        keeper = startPartitionKeeper(database.app);
        await aborted(shell.signal);
        remark(shell, json, 'Stopping. Requests under way may end; Ctrl-C again stops at once.');
      } finally {
        watch?.close();
        await Promise.all([listener?.close(), worker?.close(), keeper?.close()]);
        await metricsListener?.close();
      }
    },
    observe,
  );
}

/** Makes the store ready, and finds out what the banner says of it. */
async function prepare(
  database: OpenDatabase,
  { demo, migrate }: ServeOptions,
): Promise<
  Omit<BannerFacts, 'config' | 'port' | 'metricsPort' | 'demoPerson' | 'demoCode' | 'networkAddresses'>
> {
  const { app, embedded } = database;
  const data = embedded && { folder: embedded.dataDir, relocated: embedded.relocated };
  if (migrate) await bringUpToDate(app);
  else if ((await migrationState(app.store.pool)).pending.length > 0)
    return { data, store: 'not migrated', demoKey: null, workspaceId: null };
  if (demo ?? embedded !== null) await seed(database);
  return { data, ...(await describeStore(database)) };
}

async function describeStore(
  database: OpenDatabase,
): Promise<Pick<BannerFacts, 'store' | 'demoKey' | 'workspaceId'>> {
  const { app } = database;
  const [hasOne, demoKey] = await Promise.all([hasAnyTeam(app.store), findDemoKey(database)]);
  const workspaceId = demoKey && (await findFirstWorkspaceId(app.store, demoKey.teamId));
  return { store: hasOne ? 'ready' : 'empty', demoKey, workspaceId };
}

/** Only somebody who reads a terminal can be meant by a link that signs in: never a log, a pipe or a script. */
function createDemoLinkFor(
  { stdout }: Shell,
  json: boolean | undefined,
  demoKey: DemoKey | null,
  { clock, config }: App,
): DemoLink | null {
  return stdout.isTTY && !json && demoKey !== null && config.graphiql
    ? createDemoLink(demoKey.token, clock)
    : null;
}

/** This machine's IPv4 addresses that others may reach. */
function networkAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);
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
