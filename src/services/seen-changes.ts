// Changes that depend on what the row is: they see it first, and change it only if it is still that.
import { AppError } from '../errors.ts';
import type { WriteOptions } from './write-options.ts';

/** A row may be changed by others meanwhile. */
const MAX_ATTEMPTS = 5;

/**
 * Makes a change once the row was seen as it is. Where somebody changes it in between, and the client did not say which state it
 * expects, it is seen again.
 * @param see looks at the row @throws what refuses the change
 * @param change makes it, with these options
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
