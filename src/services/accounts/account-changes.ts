// Changes of teams and workspaces. They are recorded as every change is, in the audit trail of a workspace.
import { requireScope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { conflict } from '../../errors.ts';
import { writableFields } from '../../resources/description/inputs.ts';
import type { Row } from '../../resources/description/resource.ts';
import type { team } from '../../resources/teams.ts';
import type { workspace } from '../../resources/workspaces.ts';
import { lockAccountRow, setTexts } from '../../store/accounts/account-rows.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { changeLocked } from '../changing/locked-change.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import { toInvalid } from '../changing/violations.ts';
import { type Input, type NameOf, parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import type { Ref } from '../reading/refs.ts';

type Account = typeof team | typeof workspace;
type Texts = Readonly<Record<string, string>>;

interface AccountRules {
  /** Limits the rows that may be changed; absent: the tenancy of the host and the credential. */
  readonly tenancy?: Tenancy;
  /** Converts the input to its stored form. @throws AppError `invalid` */
  settle(given: Texts, nameOf: NameOf): Texts;
  /** @throws AppError if the row does not allow this change */
  readonly requireAllowed?: (settled: Partial<Texts>, before: Partial<Texts>) => void;
}

/**
 * Changes a team or a workspace.
 * @throws AppError `not_found`, `invalid`, `conflict` when there is no workspace to record it; as `mutate` does
 */
export async function changeAccount<R extends Account>(
  ctx: Context,
  noun: R,
  ref: Ref,
  input: Input,
  options: WriteOptions,
  { settle, requireAllowed, tenancy }: AccountRules,
): Promise<ChangeAnswer<Row<R> & { id: bigint }>> {
  const caller = requireScope(ctx, scopeFor(noun, 'write'));
  const by = { ...caller, tenancy: tenancy ?? caller.tenancy };
  const fields = writableFields(noun, 'change');
  const given = settle(
    parseFields(fields, input, 'change', true, (some) => settle(some as Texts, input.nameOf)) as Texts,
    input.nameOf,
  );
  const { table: name } = noun as Account;
  const table = { ...tableOf(noun as Account), name };
  return changeLocked(ctx, table, ref, options, {
    ...{ by, action: 'updated', given },
    async lock(tx, owned, id) {
      const locked = await lockAccountRow(tx, table, owned, id);
      if (locked === null) return null;
      const { workspaceId } = locked;
      if (workspaceId !== null) return { workspaceId };
      throw conflict(
        'not_allowed_now',
        `The ${noun.title.toLowerCase()} has no workspace to record a change in. Create one first.`,
      );
    },
    async make(tx, _locked, before) {
      requireAllowed?.(given, before as unknown as Partial<Texts>);
      if (Object.entries(given).every(([name, text]) => Reflect.get(before, name) === text)) return null;
      await setTexts(tx, table, before.id, given);
      return {};
    },
    blame: (error) => toInvalid(error, table, input.nameOf),
  }) as Promise<ChangeAnswer<Row<R> & { id: bigint }>>;
}
