// Changes that depend on the current row: they read it first, and change it only if it is still the same.
import { AppError } from '../errors.ts';
import type { WriteOptions } from './write-options.ts';

/** Retries: another request may change the row at the same time. */
const MAX_ATTEMPTS = 5;

/**
 * Makes a change that depends on the current row. If another request changes the row in between, and the client set no precondition, the
 * row is read again.
 * @param see reads the row; throws to refuse the change
 * @param change makes the change, with these options
 * @throws AppError as `change` does
 */
export async function whenSeen<Result>(
  options: WriteOptions,
  see: (row: object) => void,
  change: (options: WriteOptions) => Promise<Result>,
): Promise<Result> {
  const fits = (row: object) => {
    see(row);
    return options.fits?.(row) ?? true;
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await change({ ...options, fits });
    } catch (error) {
      const wasChanged =
        error instanceof AppError && error.code === 'precondition_failed' && options.fits === null;
      if (!wasChanged || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
