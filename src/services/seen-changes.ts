// Changes that depend on the current row: they read it first, and change it only if it is still the same.
import { AppError } from '../errors.ts';
import type { WriteOptions } from './write-options.ts';

/** Retries: another request may change the row at the same time. */
const MAX_ATTEMPTS = 5;

/**
 * Makes a change that depends on the current row. If another request changes the row in between, and the client set no precondition, the
 * row is read again.
 * @param see reads the row; returns the error that refuses the change unless the request is a retry of one that made it, or null
 * @param change makes the change, with these options
 * @throws AppError as `change` does, and the error of `see`; an error that `see` throws refuses a retry too
 */
export async function whenSeen<Result>(
  options: WriteOptions,
  see: (row: object) => AppError | null,
  change: (options: WriteOptions) => Promise<Result>,
): Promise<Result> {
  let refusal = null as AppError | null;
  const fits = (row: object) => {
    refusal = see(row);
    return refusal === null && (options.fits?.(row) ?? true);
  };
  for (let attempt = 1; ; attempt++) {
    try {
      return await change({ ...options, fits });
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'precondition_failed') throw error;
      if (refusal !== null) throw refusal;
      if (options.fits !== null || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}
