// Handles otherwise unhandled errors in a process that serves: a rejected promise must not end the process for all clients.
import type { App } from '../context.ts';
import { StartupError } from '../errors.ts';
import { limitLines } from '../output/log.ts';
import type { Shell } from './shell.ts';

/** A repeated fault must not fill the log. The metric counts all errors. */
const LINES_PER_SECOND = 5;
/** Added to the configured shutdown time: the limit for ending after an exception. */
const STOP_GRACE_MS = 10_000;

interface UnhandledErrors {
  /** Rejects after an exception: the state of the process is unknown, so it must end. Otherwise it stays pending. @throws StartupError */
  readonly failed: Promise<never>;
  /** Stops listening. */
  stop(): void;
}

/**
 * Logs and counts unhandled errors. After a rejected promise the process continues. After an exception it must shut down; if that takes too
 * long, this ends it.
 */
export function watchUnhandledErrors(
  { onUnhandled, exit }: Pick<Shell, 'onUnhandled' | 'exit'>,
  { config: { limits }, log, metrics, clock }: Pick<App, 'config' | 'log' | 'metrics' | 'clock'>,
): UnhandledErrors {
  const logError = limitLines(log, LINES_PER_SECOND, clock, 'error');
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const stop = onUnhandled({
    rejection(reason) {
      metrics.countUnhandled('rejection');
      logError({ err: reason }, 'a promise was rejected and nothing handled it: the process goes on');
    },
    exception(error) {
      metrics.countUnhandled('exception');
      logError({ err: error }, 'an exception was thrown and nothing caught it: the process ends');
      failed.reject(new StartupError('An unexpected exception ended this process. See the log.'));
      const { shutdownDelayMs, shutdownTimeoutMs } = limits;
      timer ??= setTimeout(() => exit(1), shutdownDelayMs + shutdownTimeoutMs + STOP_GRACE_MS).unref();
    },
  });
  return {
    failed: failed.promise,
    stop() {
      clearTimeout(timer);
      stop();
    },
  };
}
