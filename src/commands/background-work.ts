// The background work of a command's process.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../context.ts';
import { LOAD_AFTER_MS } from '../http/late-loading.ts';
import { startEraser } from '../jobs/eraser.ts';
import { startPartitionKeeper } from '../jobs/partition-keeper.ts';
import type { Background } from '../jobs/repeat.ts';
import { migrationState } from '../store/migrations/migrations.ts';
import type { Shell } from './shell.ts';

const MIGRATED_CHECK_MS = 2_000;

/**
 * Starts maintaining partitions and blanking erased contacts. Starts scheduled jobs and, if this process `delivers`, webhooks and the
 * fetching of images, once no migrations are pending; these modules are loaded after the command has started, so that nothing waits for
 * them.
 */
export function startBackgroundWork(
  shell: Shell,
  app: App,
  { delivers }: { readonly delivers: boolean },
): Background {
  const { webhookProxy: proxy } = shell.settings().secrets;
  const closing = new AbortController();

  const pause = (ms: number) => sleep(ms, undefined, { signal: closing.signal }).catch(() => {});

  async function load(): Promise<Background[]> {
    await pause(LOAD_AFTER_MS);
    if (closing.signal.aborted) return [];
    const { startScheduledJobs } = await import('../jobs/scheduled-jobs.ts');
    const { startDeliveryWorker } = await import('../jobs/delivery/delivery-worker.ts');
    const { startImageFetcher } = await import('../jobs/images/image-fetcher.ts');
    while (!closing.signal.aborted && !(await isMigrated(app))) await pause(MIGRATED_CHECK_MS);
    if (closing.signal.aborted) return [];
    if (!delivers) return [startScheduledJobs(app)];
    return [startScheduledJobs(app), startDeliveryWorker(app, { proxy }), startImageFetcher(app, { proxy })];
  }

  const started = [startPartitionKeeper(app), startEraser(app)];
  const loading = load().catch((error: unknown) => {
    app.log.error({ err: error }, 'webhooks are not delivered, and images not fetched');
    return [];
  });
  return {
    close: async () => {
      closing.abort();
      await Promise.all([...started, ...(await loading)].map((work) => work.close()));
    },
  };
}

/** Whether no migrations are pending; false while the database does not answer. */
function isMigrated({ store }: App): Promise<boolean> {
  return migrationState(store.pool).then(
    ({ pending }) => pending.length === 0,
    () => false,
  );
}
