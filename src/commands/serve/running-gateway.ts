// A gateway that answers requests, in a single process or in one of several workers: what it starts, and the order in which it stops.
import type { App } from '../../context.ts';
import type { DemoLink } from '../../graphiql/demo-link.ts';
import { type Eraser, startEraser } from '../../jobs/eraser.ts';
import { type ListWatch, startListWatch } from '../../jobs/list-watch.ts';
import { type PartitionKeeper, startPartitionKeeper } from '../../jobs/partition-keeper.ts';
import type { Shell } from '../shell.ts';
import { type RunningWorker, startWorker } from '../worker.ts';

export interface RunningGateway {
  readonly port: number;
  /**
   * Starts the background work that one process does for the whole gateway: delivering webhooks (if configured), scheduled jobs, watching
   * transactions that delay lists, maintaining partitions, and blanking erased contacts.
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
  let jobs: RunningWorker | undefined;
  let watch: ListWatch | undefined;
  let keeper: PartitionKeeper | undefined;
  let eraser: Eraser | undefined;
  return {
    port: listener.port,
    startJobs() {
      jobs = startWorker(shell, app, { delivers: app.config.jobs });
      watch = startListWatch(app);
      keeper = startPartitionKeeper(app);
      eraser = startEraser(app);
    },
    async close() {
      await Promise.all([listener.close(), ...[jobs, watch, keeper, eraser].map((work) => work?.close())]);
    },
  };
}
