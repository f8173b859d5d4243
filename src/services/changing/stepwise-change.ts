// A change in several steps, which is retried after a conflict with another request. It decides by the rows that it finds, so it throws its
// errors within its transaction.
import type { Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { execute } from '../../store/changing/changes.ts';
import type { ChangeOrigin, ChangeOutcome, ChangeRecord, Unchanged } from '../../store/changing/records.ts';
import type { Open } from '../../store/changing/transactions.ts';
import { violationOf } from '../../store/connections/failures.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import { type ChangeAnswer, type Mutation, mutate } from './mutate.ts';

export interface StepwiseChange<Row, Outcome extends ChangeOutcome, Tx>
  extends Omit<Mutation<Row, Outcome>, 'change'> {
  /** The constraints that a concurrent request may cause to be violated: the change is retried. Absent: none. */
  readonly meanwhile?: readonly string[];
  /** Makes the change within the caller's tenancy. @throws AppError if the change is refused */
  readonly make: (tx: Tx, tenancy: Tenancy, recorded: ChangeOrigin) => Promise<ChangeRecord | Unchanged>;
  /** Converts an error of `make` to an AppError, or returns it unchanged. Absent: unchanged. */
  readonly blame?: (error: unknown) => unknown;
}

/**
 * @param open opens its transaction: `withModels` or `withSql`
 * @throws AppError what `make` throws, except for the retry of a change that was made; as `mutate` does
 */
export function changeStepwise<Row, Outcome extends ChangeOutcome, Tx>(
  ctx: Context,
  open: Open<Tx>,
  { meanwhile = [], make, blame = (error) => error, ...rest }: StepwiseChange<Row, Outcome, Tx>,
): Promise<ChangeAnswer<Row, Outcome>> {
  return mutate(ctx, {
    ...rest,
    change: (recorded) =>
      repeated(meanwhile, () => execute(ctx, recorded, open, make)).catch((error) => {
        throw blame(error);
      }),
  });
}

const MAX_ATTEMPTS = 5;
const CONTENDED = 'Too many concurrent changes. Nothing was changed; try again.';

/**
 * Retries a change that violates one of these constraints because of a concurrent request.
 * @throws AppError `conflict` when every attempt fails this way; otherwise what the change throws
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
