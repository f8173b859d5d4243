// Handles Ctrl-C while a command works on the store.
import type { App } from '../context.ts';
import { AppError, StartupError } from '../errors.ts';
import { cancellingOn } from '../store/connections/cancelling.ts';
import type { Shell } from './shell.ts';

/**
 * Runs work that is short unless it has to wait. The shell's signal ends the wait; work that has completed by then is a success. If it
 * consists of several transactions, those before the interrupted one stay committed.
 * @throws StartupError when the signal came first; the errors of `work`
 */
export async function untilInterrupted<T>(
  { signal }: Shell,
  { store }: App,
  work: () => Promise<T>,
): Promise<T> {
  try {
    signal.throwIfAborted();
    return await cancellingOn(signal, () => store.cancel(), work());
  } catch (error) {
    throw signal.aborted && !explainsItself(error)
      ? new StartupError('Interrupted. What was running was undone; start again.', { cause: error })
      : error;
  }
}

/** Whether an error explains more than that the database did not answer. */
function explainsItself(error: unknown): boolean {
  return error instanceof StartupError || (error instanceof AppError && error.code !== 'unavailable');
}
