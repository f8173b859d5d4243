// A change in several steps whose refusals depend on what other changes have left: it is refused within its transaction.
import type { Permitted } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { executeSteps, type NotMade } from '../../store/changing/changes.ts';
import type { ChangeOutcome, ChangeRecord, Unchanged } from '../../store/changing/records.ts';
import type { Executor } from '../../store/connections/executor.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import type { Table } from '../../store/tables/table.ts';
import type { NameOf } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { type Done, type Mutation, mutate } from './mutate.ts';
import { repeated } from './repeated-change.ts';
import { toInvalid } from './violations.ts';

interface StepwiseChange<Row, Outcome extends ChangeOutcome>
  extends Pick<Mutation<Row, Outcome>, 'title' | 'outcome' | 'request' | 'toRow'> {
  readonly by: Permitted;
  readonly options: WriteOptions;
  /** The table of the row, whose constraints blame its fields. */
  readonly table: Table<{ id: bigint }>;
  /** The row to change; null: it is created. */
  readonly id: bigint | null;
  readonly nameOf: NameOf;
  /** The constraints that another request may have caused to be violated: the change is made again. Absent: none. */
  readonly meanwhile?: readonly string[];
  /** Makes the change within the caller's tenancy. @throws AppError `invalid` or `conflict` for what is refused */
  make(tx: Executor, tenancy: Tenancy): Promise<ChangeRecord | Unchanged | NotMade>;
}

/** @throws AppError what `make` throws, except for the retry of a change that was made; as `mutate` does */
export function changeStepwise<Row, Outcome extends ChangeOutcome>(
  ctx: Context,
  { table, id, nameOf, meanwhile = [], make, ...rest }: StepwiseChange<Row, Outcome>,
): Promise<Done<Row, Outcome>> {
  let refusal: AppError | null = null;
  return mutate(ctx, {
    ...rest,
    subject: { table, id },
    async change(recorded) {
      try {
        return await repeated(meanwhile, () => executeSteps(ctx, recorded, make));
      } catch (cause) {
        const error = toInvalid(cause, table, nameOf);
        if (!(error instanceof AppError) || !['invalid', 'conflict'].includes(error.code)) throw error;
        refusal = error;
        return { found: true, precondition: false, snapshot: null };
      }
    },
    refusal: () => refusal,
  });
}
