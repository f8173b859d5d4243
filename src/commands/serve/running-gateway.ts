// Runs a gateway that answers requests: starts and stops its parts.
import type { App } from '../../context.ts';
import type { DemoLink } from '../../graphiql/demo-link.ts';
import { startListWatch } from '../../jobs/list-watch.ts';
import type { Background } from '../../jobs/repeat.ts';
import { startBackgroundWork } from '../background-work.ts';
import type { Shell } from '../shell.ts';

export interface RunningGateway {
  readonly port: number;
  /** Rejects when the process has to be started again. Otherwise it stays pending. @throws StartupError */
  readonly failed: Promise<never>;
  /**
   * Starts the background work: delivering webhooks (if configured), scheduled jobs, watching transactions that delay lists, maintaining
   * partitions, and blanking erased contacts. Several processes share this work.
   */
  startJobs(): void;
  /** Waits for running requests and deliveries to end. */
  close(): Promise<void>;
}

/** Starts listening. @throws StartupError when the address is not available */
export async function startGateway(
  shell: Shell,
  app: App,
  demoLink: DemoLink | null,
): Promise<RunningGateway> {
  const { listen } = await import('../../http/listener.ts');
  const listener = await listen(app, demoLink);
  app.store.watchDatabase();
  let jobs: Background[] = [];
  return {
    port: listener.port,
    failed: listener.failed,
    startJobs() {
      jobs = [startBackgroundWork(shell, app, { delivers: app.config.jobs }), startListWatch(app)];
    },
    async close() {
      await Promise.all([listener.close(), ...jobs.map((work) => work.close())]);
    },
  };
}
