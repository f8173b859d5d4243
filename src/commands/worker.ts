// The background work inside a command's process that needs the tables to be up to date: delivering webhooks, and scheduled jobs. It is
// loaded after the command has started, so that nothing waits for it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../context.ts';
import { migrationState } from '../store/migrations/migrations.ts';
import type { Shell } from './shell.ts';

export interface RunningWorker {
  /** Waits for running attempts, at most for the configured time. */
  close(): Promise<void>;
}

const MIGRATED_CHECK_MS = 2_000;

/** Starts it in the background: at once, or when pending migrations have been applied. @param delivers whether webhooks are delivered */
export function startWorker(
  shell: Shell,
  app: App,
  { delivers }: { readonly delivers: boolean },
): RunningWorker {
  const { webhookProxy: proxy } = shell.settings().secrets;
  const closing = new AbortController();

  async function load(): Promise<RunningWorker[]> {
    const { startScheduledJobs } = await import('../jobs/scheduled-jobs.ts');
    const { startDeliveryWorker } = await import('../jobs/delivery/delivery-worker.ts');
    while (!closing.signal.aborted && !(await isMigrated(app)))
      await sleep(MIGRATED_CHECK_MS, undefined, { signal: closing.signal }).catch(() => {});
    if (closing.signal.aborted) return [];
    return [startScheduledJobs(app), ...(delivers ? [startDeliveryWorker(app, { proxy })] : [])];
  }

  const loading = load();
  loading.catch((error: unknown) => app.log.error({ err: error }, 'webhooks are not delivered'));
  return {
    close: async () => {
      closing.abort();
      const running = await loading.catch(() => []);
      await Promise.all(running.map((work) => work.close()));
    },
  };
}

/** Also false while the database does not answer. */
function isMigrated({ store }: App): Promise<boolean> {
  return migrationState(store.pool).then(
    ({ pending }) => pending.length === 0,
    () => false,
  );
}
