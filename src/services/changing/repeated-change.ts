// A change that is made again where another request got in its way.
import { violationOf } from '../../store/connections/failures.ts';

const MAX_ATTEMPTS = 5;

/** Repeats a change that violates one of these constraints, which another request has caused meanwhile. */
export async function repeated<Result>(
  meanwhile: readonly string[],
  change: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      const { constraint = '' } = violationOf(error) ?? {};
      if (attempt === MAX_ATTEMPTS || !meanwhile.includes(constraint)) throw error;
    }
  }
}
