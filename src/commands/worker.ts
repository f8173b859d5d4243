// The worker that delivers webhooks, in the process of a command. It is loaded when the command has started: nothing waits for it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../context.ts';
import { migrationState } from '../store/migrations/migrations.ts';
import type { Shell } from './shell.ts';

export interface RunningWorker {
  /** As long as attempts under way take, at most the time that the configuration allows. */
  close(): Promise<void>;
}

const MIGRATED_CHECK_MS = 2_000;

/** Starts it, in the background: at once, or when somebody has applied the migrations that are pending. */
export function startWorker(shell: Shell, app: App): RunningWorker {
  const { webhookProxy: proxy } = shell.settings().secrets;
  const closing = new AbortController();

  async function load() {
    const { startDeliveryWorker } = await import('../jobs/delivery/delivery-worker.ts');
    while (!closing.signal.aborted && !(await isMigrated(app)))
      await sleep(MIGRATED_CHECK_MS, undefined, { signal: closing.signal }).catch(() => {});
    return closing.signal.aborted ? null : startDeliveryWorker(app, { proxy });
  }

  const loading = load();
  loading.catch((error: unknown) => app.log.error({ err: error }, 'webhooks are not delivered'));
  return {
    close: async () => {
      closing.abort();
      await loading.then(
        (worker) => worker?.close(),
        () => undefined,
      );
    },
  };
}

/** False as well while the database does not say. */
function isMigrated({ store }: App): Promise<boolean> {
  return migrationState(store.pool).then(
    ({ pending }) => pending.length === 0,
    () => false,
  );
}
