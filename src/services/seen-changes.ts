// Changes that depend on what the row is: they see it first, and change it only if it is still that.
import { AppError } from '../errors.ts';
import type { WriteOptions } from './write-options.ts';

/** A row may be changed by others meanwhile. */
const MAX_ATTEMPTS = 5;

/**
 * Makes a change once the row was seen as it is. Where somebody changes it in between, and the client did not say which state it
 * expects, it is seen again.
 * @param see looks at the row: what refuses the change, unless this is the retry of a request that made it; null: nothing
 * @param change makes it, with these options
 * @throws AppError as `change` does, and what refuses it; what `see` throws refuses a retry too
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
