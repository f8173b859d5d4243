// A change in several steps. What other changes have left may refuse it: its errors are thrown within its transaction.
import type { Context } from '../../context.ts';
import { execute } from '../../store/changing/changes.ts';
import type { ChangeOutcome, ChangeRecord, Recorded, Unchanged } from '../../store/changing/records.ts';
import type { Open } from '../../store/changing/transactions.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import { type Done, type Mutation, mutate } from './mutate.ts';
import { repeated } from './repeated-change.ts';

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
