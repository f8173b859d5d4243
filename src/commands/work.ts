// `work`: a process that only delivers webhooks and fetches images.
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../errors.ts';
import { listenForMetrics } from '../http/metrics-listener.ts';
import { buildInfo } from '../output/build-info.ts';
import { startBackgroundWork } from './background-work.ts';
import { type OpenDatabase, withTables } from './database.ts';
import { aborted, type Program, printRemark, report, type Shell } from './shell.ts';
import { watchUnhandledErrors } from './unhandled-errors.ts';

const RETRY_MS = 2_000;

/** Adds the command. */
export function addWork(program: Program, shell: Shell): void {
  program
    .command('work')
    .addHelpText(
      'after',
      `
"serve" does this too, unless JOBS=off: run it beside gateways that are to do nothing else, as many as are needed. It waits for the
database and its tables. With METRICS_PORT it can be watched. SIGTERM lets attempts under way end.

Examples:
  $ METRICS_PORT=9465 DATABASE_URL=postgresql://user:password@localhost/gateway npx funnel-gateway work
  $ npx funnel-gateway work`,
    )
    .action(() => work(shell));
}

async function work(shell: Shell): Promise<void> {
  // Fails at once for an invalid configuration, because waiting would not correct it.
  shell.settings();
  let isReady = false;
  let hasSaid = false;
  while (!isReady && !shell.signal.aborted) {
    try {
      await withTables(
        shell,
        (database) => {
          isReady = true;
          return run(shell, database);
        },
        { stopsItself: true, isObserved: true },
      );
    } catch (error) {
      if (isReady || !(error instanceof StartupError)) throw error;
      if (shell.signal.aborted) return;
      if (!hasSaid) printRemark(shell, `${error.message} Waiting for it.`);
      hasSaid = true;
      await sleep(RETRY_MS, undefined, { signal: shell.signal }).catch(() => {});
    }
  }
}

async function run(shell: Shell, { app }: OpenDatabase): Promise<void> {
  const metricsListener = await listenForMetrics(app);
  const unhandled = watchUnhandledErrors(shell, app);
  const work = startBackgroundWork(shell, app, { delivers: true });
  try {
    const { port: metricsPort = null } = metricsListener ?? {};
    report(shell, { pid: shell.pid, metricsPort }, 'Delivering webhooks. Stop with Ctrl-C.');
    app.log.info(buildInfo(), 'started');
    await Promise.race([aborted(shell.signal), unhandled.failed]);
    printRemark(shell, 'Stopping. Deliveries under way may end; Ctrl-C again stops at once.');
  } finally {
    await work.close();
    await metricsListener?.close();
    unhandled.stop();
  }
}
