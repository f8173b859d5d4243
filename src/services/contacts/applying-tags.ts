// Tags that are applied to objects. If the object has the tag already, nothing changes and the answer is the existing row.
import { type Permitted, requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../errors.ts';
import type { Field } from '../../resources/description/fields.ts';
import type { Row } from '../../resources/description/resource.ts';
import type { Described } from '../../resources/nouns.ts';
import { findAppliedTagId } from '../../store/changing/applied-tags.ts';
import type { ChangeRules } from '../../store/changing/rules.ts';
import { findById } from '../../store/reading/rows.ts';
import { tableOf } from '../../store/tables/tables.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { isTaken } from '../changing/violations.ts';
import { writesOf } from '../changing/writes.ts';
import type { Input } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';

/** Retries. After an insert fails because the tag is already applied, another request may remove it before we read it. */
const MAX_ATTEMPTS = 5;

/** The changes of a noun whose objects are tags on objects of its parent: its field `tagId` refers to the tag. */
export function appliedTagWrites<R extends Described>(noun: R, rules: ChangeRules) {
  const table = tableOf(noun);
  const { title, table: over } = table.parent;
  const writes = writesOf(noun, rules);
  const tagField = noun.fields['tagId'] as Field;
  const idOf = (ctx: Context, { tenancy }: Pick<Permitted, 'tenancy'>, on: bigint, tagId: bigint) =>
    findAppliedTagId(ctx, table, tenancy, on, tagId);
  return {
    ...writes,
    idOf,
    /**
     * Applies a tag to an object. If the object has the tag already, nothing is changed or recorded.
     * @throws AppError as every creation does
     */
    async create(
      ctx: Context,
      parent: Ref,
      input: Input,
      options: WriteOptions,
    ): Promise<ChangeAnswer<Row<R> & { id: bigint }, 'created' | 'unchanged'>> {
      const by = requireScope(ctx, writes.writeScope);
      const { tagId = 0n } = writes.parse(input, 'creation') as { tagId?: bigint };
      const name = input.nameOf('tagId', tagField);
      for (let attempt = 1; ; attempt++) {
        try {
          const { row } = await writes.create(ctx, parent, input, options);
          return { outcome: 'created', row };
        } catch (error) {
          if (!(error instanceof AppError) || error.errors[0]?.field !== name) throw error;
          const id = await idOf(ctx, by, parseRef(title, over, parent), tagId);
          // Not by `get`: a caller who may apply tags may lack its read scope.
          const row = id === null ? null : await findById(ctx, table, by.tenancy, id);
          if (row !== null) return { outcome: 'unchanged', row };
          if (!isTaken(error) || attempt === MAX_ATTEMPTS) throw error;
        }
      }
    },
  };
}
