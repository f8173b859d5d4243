// Ctrl-C while a command works on the store.
import type { App } from '../context.ts';
import { AppError, StartupError } from '../errors.ts';
import { cancellingOn } from '../store/connections/cancelling.ts';
import type { Shell } from './shell.ts';

/**
 * Does what is over in a moment unless it has to wait: at the shell's signal it waits no longer. What is done by then is done, and no
 * failure; of several transactions those before the one that was under way stay.
 * @throws StartupError when the signal came first; what `work` throws
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
    throw signal.aborted && !saysItself(error)
      ? new StartupError('Interrupted: what was under way is undone. Start again.', { cause: error })
      : error;
  }
}

/** Whether an error says more than that the database gave no answer. */
function saysItself(error: unknown): boolean {
  return error instanceof StartupError || (error instanceof AppError && error.code !== 'unavailable');
}
