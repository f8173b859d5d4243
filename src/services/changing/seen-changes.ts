// Changes that depend on the current row: they see it locked, just before they change it.
import { AppError } from '../../errors.ts';
import type { WriteOptions } from '../input/write-options.ts';

/**
 * Makes a change that depends on the current row.
 * @param see gets the locked row; returns the error that refuses the change unless the request is a retry of one that made it, or null
 * @param change makes the change, with these options
 * @throws AppError as `change` does, and the error of `see`; an error that `see` throws refuses a retry too
 */
export async function whenSeen<Result>(
  options: WriteOptions,
  see: (row: object) => AppError | null,
  change: (options: WriteOptions) => Promise<Result>,
): Promise<Result> {
  let refusal = null as AppError | null;
  const precondition = (row: object) => {
    refusal = see(row);
    return refusal === null && (options.precondition?.(row) ?? true);
  };
  try {
    return await change({ ...options, precondition });
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === 'precondition_failed';
    throw isRefused && refusal !== null ? refusal : error;
  }
}
