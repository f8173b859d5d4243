// The worker that delivers webhooks, in the process of a command. It is loaded when the command has started: nothing waits for it.
import type { App } from '../context.ts';
import type { Shell } from './shell.ts';

export interface RunningWorker {
  /** As long as attempts under way take, at most the time that the configuration allows. */
  close(): Promise<void>;
}

/** Starts it, in the background. */
export function startWorker(shell: Shell, app: App): RunningWorker {
  const { webhookProxy: proxy } = shell.settings().secrets;
  const loading = import('../jobs/delivery-worker.ts').then(({ startDeliveryWorker }) =>
    shell.signal.aborted ? null : startDeliveryWorker(app, { proxy }),
  );
  loading.catch((error: unknown) => app.log.error({ err: error }, 'webhooks are not delivered'));
  return {
    close: async () => {
      await loading.then(
        (worker) => worker?.close(),
        () => undefined,
      );
    },
  };
}
