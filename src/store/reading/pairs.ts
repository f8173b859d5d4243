// The SQL of the rows that another table pairs with a value, such as the orders with a tag.
import { type AnyMatch, isBetween } from './filter-conditions.ts';
import type { Direction } from './positions.ts';

/** A filter by the rows of another table: by a value of theirs, or by a range of times. */
export type AnyPairMatch = Extract<AnyMatch, { table: string }>;

/** The ids of the rows that another table pairs with a value, each once, as `a`. @param paired the condition on its rows */
export function pairsOf({ table, row, repeats }: AnyPairMatch, paired: string): string {
  return `(select ${repeats ? 'distinct ' : ''}a.${row} from ${table} a where ${paired}) a`;
}

/**
 * The pairs with a value, as `a`, between the positions of a page in the order of ids, and their order. As in `rangeOfValue`, one comparison
 * covers value and id, so that only an index that begins with the value fits.
 */
export function pairsInOrder(
  { table, row, value, where, repeats }: AnyPairMatch,
  workspace: string,
  direction: Direction,
) {
  const place = `a.${value}, a.${row}`;
  const byPair = `order by a.${value} ${direction}, a.${row} ${direction}`;
  // An index may have only the rows with a value, which a comparison of rows does not imply.
  const condition = `a.workspace_id = ${workspace} and a.${value} is not null and (${place}) > (v.value, $low_id) and (${place}) < (v.value, $high_id)${where === undefined ? '' : ` and a.${where}`}`;
  const pairs = repeats
    ? `(select distinct on (${place}) ${place} from ${table} a where ${condition} ${byPair}) a`
    : `(select ${place} from ${table} a where ${condition}) a`;
  return { pairs, byPair };
}

/** The condition that the row `a` of another table pairs its row with the value `v.value`. */
export function isPaired(match: AnyPairMatch, workspace: string): string {
  const { value, where } = match;
  const has = 'isRange' in match ? isBetween(`a.${value}`, 'v.value') : `a.${value} = v.value`;
  return `a.workspace_id = ${workspace} and ${has}${where === undefined ? '' : ` and a.${where}`}`;
}
