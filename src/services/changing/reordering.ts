// The verb `reorder`: gives all objects below one parent a new order. It counts as a change of the parent.
import { type Permitted, requireScope, type Scope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { orderFields } from '../../resources/description/common-fields.ts';
import { expandableNames, ownNameOf, pluralOf } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { withoutMembers } from '../../rows/json-members.ts';
import { lockPositions, setOrder } from '../../store/changing/ordering.ts';
import { type ChangeRecord, isNotified } from '../../store/changing/records.ts';
import { findSnapshots } from '../../store/changing/snapshots.ts';
import type { Executor } from '../../store/connections/executor.ts';
import type { Table } from '../../store/tables/table.ts';
import { tableNamed } from '../../store/tables/tables.ts';
import { type Input, parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import type { Ref } from '../reading/refs.ts';
import { changeLocked } from './locked-change.ts';
import type { ChangeAnswer } from './mutate.ts';

type Noun = Table<{ id: bigint }>;

/**
 * Gives the rows below a parent the order of the ids that the client sends, one for each row.
 * @returns the parent
 * @throws AppError `not_found` and `precondition_failed` for the parent; `invalid` unless the ids are those of its rows, each once
 */
export async function reorder(
  ctx: Context,
  table: Noun,
  scope: Scope,
  parent: Ref,
  input: Input,
  options: WriteOptions,
): Promise<ChangeAnswer<{ id: bigint }>> {
  const by: Permitted = requireScope(ctx, scope);
  const { resource, title } = table;
  const fields = orderFields(resource);
  const { idsInOrder: ids = [] } = parseFields(fields, input, 'creation') as { idsInOrder?: bigint[] };
  const above = tableNamed(table.parent.table);
  if (above === undefined) throw new TypeError(`What ${resource.type} is below is in no list.`);
  return changeLocked(ctx, above, parent, options, {
    by,
    action: `${pluralOf(ownNameOf(resource))}_reordered`,
    given: ids,
    lock: (tx, tenancy, id) => lockPositions(tx, table, tenancy, id),
    async make(tx, { workspaceId, ids: were }, { id }) {
      if (!isSameSet(ids, were)) {
        const name = input.nameOf('idsInOrder', fields['idsInOrder'] as (typeof fields)[string]);
        const all = `the ids of all ${were.length} ${pluralOf(title.toLowerCase())} of the ${above.title.toLowerCase()}, each once`;
        throw invalid(name, { code: 'not_allowed', message: `must have ${all}` });
      }
      if (were.every((one, index) => one === ids[index])) return null;
      const moved = await setOrder(tx, table, workspaceId, id, ids);
      return isNotified(resource, 'updated') ? { events: await eventsOf(tx, table, workspaceId, moved) } : {};
    },
  });
}

function isSameSet(one: readonly bigint[], other: readonly bigint[]): boolean {
  const ids = new Set(one);
  return one.length === other.length && other.every((id) => ids.has(id));
}

/** The `updated` events of the rows that have another position now. */
async function eventsOf(
  tx: Executor,
  table: Noun,
  workspaceId: bigint,
  moved: readonly bigint[],
): Promise<ChangeRecord['events']> {
  const { resource } = table;
  const ids = moved.toSorted((one, other) => (one < other ? -1 : 1));
  const snapshots = await findSnapshots(tx, table, workspaceId, ids);
  const hidden = expandableNames(resource as Resource);
  return snapshots.flatMap((data, index) => {
    const subjectId = ids[index];
    return subjectId === undefined
      ? []
      : [{ resource, name: 'updated', subjectId, data: withoutMembers(data, hidden) }];
  });
}
