// The SQL of the rows that a list request selects. The first filter leads: each of its values is one range of an index, in the page's order
// if the index has it, and the ranges are merged. The other filters are conditions on the rows found.
import { inWorkspace } from '../sql/statements.ts';
import { parentLink } from '../tables/table.ts';
import { ALL, conditionOf } from './filter-conditions.ts';
import { finderOf, type Range, valuesOf } from './leading-filters.ts';
import { between, type PagePlaceholders, rowsById } from './parents.ts';
import { type Direction, orderOf, rangeOf } from './positions.ts';
import { type AnyTable, isOfParent, parameterOf, type Selected } from './selections.ts';

/**
 * The rows of one page of one parent's list, in order, at most `$limit`.
 * @param columns the select list over `t`
 * @param condition evaluated once, before any row
 */
export function selectPage(
  table: AnyTable,
  selected: Selected,
  { columns, places, direction }: { columns: string; places: PagePlaceholders; direction: Direction },
  condition: string,
): string {
  const { key } = selected;
  const { workspace } = places;
  const range = (id: string) => rangeOf(key, id);
  const order = orderOf(key, direction);
  const text =
    selected.given.length === 0
      ? `select ${columns} from ${table.name} t
        where ${between(table, places, range('t.id'))} and ${condition} order by ${order} limit $limit`
      : `select ${columns} from ${rowsById(
          table,
          workspace,
          `select k.id from (
            select distinct s.* from ${merged(table, selected, places, { range, order: direction, limit: '$limit', isBounded: true })}
            order by ${orderOf(key, direction, 's')} limit $limit
          ) k`,
          order,
        )} where ${condition} order by ${order}`;
  return inWorkspace(text, workspace);
}

/**
 * The ids of at most `limit` rows of one parent's list, in no particular order. @param isBounded whether only rows between two positions
 * count
 */
export function selectSome(
  table: AnyTable,
  selected: Selected,
  places: PagePlaceholders,
  { isBounded, limit, condition }: { isBounded: boolean; limit: number; condition: string },
): string {
  const range = (id: string) => (isBounded ? rangeOf(selected.key, id) : `${id} > 0`);
  return selected.given.length === 0
    ? `select t.id from ${table.name} t where ${between(table, places, range('t.id'))} and ${condition} limit ${limit}`
    : `select distinct t.id from ${merged(table, selected, places, { range, order: null, limit: `${limit}`, isBounded }, 't')}
      where ${condition} limit ${limit}`;
}

const IN_WORKSPACE = parentLink({ table: 'workspaces', column: 'workspace_id', title: 'Workspace' });

/** The ids and sort keys of the rows that the leading filter finds for each of its values, as `alias`. A row may appear twice. */
function merged(list: AnyTable, selected: Selected, of: PagePlaceholders, range: Range, alias = 's'): string {
  const [leader, ...others] = selected.given;
  if (leader === undefined) throw new Error('There is no filter.');
  // Paired rows are those of the workspace that have the parent as a value.
  const table = isOfParent(leader) ? { ...list, parent: IN_WORKSPACE } : list;
  const places = isOfParent(leader) ? { ...of, parent: of.workspace } : of;
  const conditions = others.map((filter) => conditionOf(filter, `$${parameterOf(filter)}`));
  const values = isOfParent(leader) ? `(select ${of.parent}::bigint as value) v` : valuesOf(leader);
  const all = conditions.length === 0 ? ALL : conditions.join(' and ');
  return `${values} cross join lateral (
    ${finderOf(table, selected.key, leader)(places, range, all)} limit ${range.limit}
  ) ${alias}`;
}
