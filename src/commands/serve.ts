// `serve`: the gateway itself. Opens and migrates the database, listens, and stops cleanly.
import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { nearMissSentence } from '../config/near-misses.ts';
import { ONE_PROCESS } from '../config/retired.ts';
import { VARIABLES } from '../config/variables.ts';
import { StartupError } from '../errors.ts';
import { listenForMetrics } from '../http/metrics-listener.ts';
import { buildInfo } from '../output/build-info.ts';
import { requireReads } from '../store/store.ts';
import { requireUtcSessions, withApp, withServer } from './database.ts';
import { findDemoPerson } from './demo.ts';
import { untilInterrupted } from './interruption.ts';
import { createDemoLinkFor, prepare, printBanner, type ServeOptions, STOPPING } from './serve/prepare.ts';
import { type RunningGateway, startGateway } from './serve/running-gateway.ts';
import { aborted, type Program, printRemark, type Shell, table } from './shell.ts';
import { watchUnhandledErrors } from './unhandled-errors.ts';

/** Adds the command. */
export function addServe(program: Program, shell: Shell): void {
  program
    .command('serve')
    .option('--demo', 'add demo data to a store that has no team yet (default with the embedded database)')
    .option('--no-demo', 'leave an empty store empty')
    .option('--no-migrate', 'do not apply pending migrations')
    .addOption(new Option('--workers <number>').argParser(refuseWorkers).hideHelp())
    .addHelpText('after', help())
    .action(async ({ demo, migrate }) => {
      const { nearMisses } = shell.settings();
      for (const miss of nearMisses()) shell.stderr.write(`${nearMissSentence(miss)}\n`);
      await serve(shell, { demo, migrate }).catch((error: unknown) => {
        // A stop before the start has completed is not a failure.
        if (!shell.signal.aborted || !(error instanceof StartupError)) throw error;
        printRemark(shell, error.message);
      });
    });
}

/** @throws InvalidArgumentError always */
function refuseWorkers(): never {
  throw new InvalidArgumentError(`${ONE_PROCESS}.`);
}

async function serve(shell: Shell, options: ServeOptions): Promise<void> {
  const { config } = shell.settings();
  // Loads this while the database starts, which takes as long.
  const server = import('../http/listener.ts');
  server.catch(() => {});
  await withServer(shell, async (opened) => {
    await requireUtcSessions(shell, opened, options);
    const { url, embedded } = opened;
    await withApp(shell, { url, embedded, isObserved: true }, async (app) => {
      const database = { app, embedded };
      if (config.socket.unused !== null) app.log.warn(config.socket.unused);
      const [prepared] = await untilInterrupted(shell, app, () =>
        Promise.all([prepare(database, options, shell.signal), requireReads(app.store)]),
      );
      // Verifies the password while the server is created, which takes as long.
      const person = prepared.store === 'ready' ? findDemoPerson(database) : Promise.resolve(null);
      person.catch(() => {});
      await server;
      if (shell.signal.aborted) return;
      const demoLink = createDemoLinkFor(shell, prepared.demoKey, app);
      const metricsListener = await listenForMetrics(app);
      const unhandled = watchUnhandledErrors(shell, app);
      let gateway: RunningGateway | undefined;
      try {
        gateway = await startGateway(shell, app, demoLink);
        printBanner(shell, {
          ...{ config, port: gateway.port, demoPerson: await person, ...prepared },
          metricsPort: metricsListener?.port ?? null,
          demoCode: demoLink?.code ?? null,
        });
        app.log.info(buildInfo(), 'started');
        gateway.startJobs();
        await Promise.race([aborted(shell.signal), gateway.failed, unhandled.failed]);
        printRemark(shell, STOPPING);
      } finally {
        await gateway?.close();
        await metricsListener?.close();
        unhandled.stop();
      }
    });
  });
}

function help(): string {
  const rows = Object.entries(VARIABLES).map(([name, [fallback, meaning]]) => [
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
