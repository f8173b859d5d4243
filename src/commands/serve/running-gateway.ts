// A gateway that answers requests, in the only process or in one of several: what it starts, and in which order it ends.
import type { App } from '../../context.ts';
import type { DemoLink } from '../../graphiql/demo-link.ts';
import { type Eraser, startEraser } from '../../jobs/eraser.ts';
import { startListWatch } from '../../jobs/list-watch.ts';
import { type PartitionKeeper, startPartitionKeeper } from '../../jobs/partition-keeper.ts';
import type { Shell } from '../shell.ts';
import { startWorker } from '../worker.ts';

export interface RunningGateway {
  readonly port: number;
  /**
   * Does what is done once for a gateway: delivers webhooks, where the configuration says so, watches what holds lists up,
   * keeps partitions, blanks what was erased.
   */
  startJobs(): void;
  /** Lets requests and deliveries under way end. */
  close(): Promise<void>;
}

/** Listens. @throws StartupError when the address cannot be listened on */
export async function startGateway(
  shell: Shell,
  app: App,
  demoLink: DemoLink | null,
): Promise<RunningGateway> {
  const { listen } = await import('../../http/listener.ts');
  const listener = await listen(app, demoLink);
  app.store.watchDatabase();
  let jobs: { close(): Promise<void> } | undefined;
  let watch: { close(): void } | undefined;
  let keeper: PartitionKeeper | undefined;
  let eraser: Eraser | undefined;
  return {
    port: listener.port,
    startJobs() {
      if (app.config.jobs) jobs = startWorker(shell, app);
      watch = startListWatch(app);
      keeper = startPartitionKeeper(app);
      eraser = startEraser(app);
    },
    async close() {
      watch?.close();
      await Promise.all([listener.close(), jobs?.close(), keeper?.close(), eraser?.close()]);
    },
  };
}
