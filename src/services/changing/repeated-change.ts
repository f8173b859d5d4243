// A change that is made again where another request got in its way.
import { AppError } from '../../errors.ts';
import { violationOf } from '../../store/connections/failures.ts';

const MAX_ATTEMPTS = 5;
const CONTENDED = 'Other requests keep changing what this one needs. Nothing was changed.';

/**
 * Repeats a change that violates one of these constraints, which another request has caused meanwhile.
 * @throws AppError `conflict` where others get in its way each time; else what the change throws
 */
export async function repeated<Result>(
  meanwhile: readonly string[],
  change: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      const { constraint = '' } = violationOf(error) ?? {};
      if (!meanwhile.includes(constraint)) throw error;
      if (attempt === MAX_ATTEMPTS)
        throw new AppError('conflict', CONTENDED, { retryAfterSeconds: 1, cause: error });
    }
  }
}
