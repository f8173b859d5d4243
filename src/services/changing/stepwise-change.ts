// A change in several steps, which is made again where another request got in its way. What other changes have left may refuse it: its errors
// are thrown within its transaction.
import type { Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { execute } from '../../store/changing/changes.ts';
import type { ChangeOutcome, ChangeRecord, Recorded, Unchanged } from '../../store/changing/records.ts';
import type { Open } from '../../store/changing/transactions.ts';
import { violationOf } from '../../store/connections/failures.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import { type Done, type Mutation, mutate } from './mutate.ts';

export interface StepwiseChange<Row, Outcome extends ChangeOutcome, Tx>
  extends Omit<Mutation<Row, Outcome>, 'change'> {
  /** The constraints that another request may have caused to be violated: the change is made again. Absent: none. */
  readonly meanwhile?: readonly string[];
  /** Makes the change within the caller's tenancy. @throws AppError what refuses it */
  readonly make: (tx: Tx, tenancy: Tenancy, recorded: Recorded) => Promise<ChangeRecord | Unchanged>;
  /** The AppError for an error of `make`, or the error itself; absent: the error itself. */
  readonly blame?: (error: unknown) => unknown;
}

/**
 * @param open how its transaction is opened: `withModels` or `withSql`
 * @throws AppError what `make` throws, except for the retry of a change that was made; as `mutate` does
 */
export function changeStepwise<Row, Outcome extends ChangeOutcome, Tx>(
  ctx: Context,
  open: Open<Tx>,
  { meanwhile = [], make, blame = (error) => error, ...rest }: StepwiseChange<Row, Outcome, Tx>,
): Promise<Done<Row, Outcome>> {
  return mutate(ctx, {
    ...rest,
    change: (recorded) =>
      repeated(meanwhile, () => execute(ctx, recorded, open, make)).catch((error) => {
        throw blame(error);
      }),
  });
}

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
