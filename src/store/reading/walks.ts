// The SQL of rows with a value in an order that no index has: a walk of the list in its order, or all rows with the value.
import { ALL } from './filter-conditions.ts';
import { type AnyPairMatch, isPaired, pairsOf } from './pairs.ts';
import { rowById } from './parents.ts';
import { placeOf } from './positions.ts';
import type { SortKey } from './sort-keys.ts';

/** If more rows than this have a value, the list is scanned in its order instead, up to `MAX_WALKED_ROWS` rows. */
const MANY_PAIRS = 2_500;
const MAX_WALKED_ROWS = 20_000;

/** A list that is walked in its order, from the page's position on. */
export interface WalkedList {
  /** The table of the list; its rows are `t`. */
  readonly table: string;
  readonly workspace: string;
  /** The condition that a row is in the list, combined with another condition. */
  readonly below: (within: string) => string;
  /** The condition that a row is between the page's positions. */
  readonly range: string;
  readonly condition: string;
  readonly order: (alias?: string) => string;
  readonly limit: string;
}

/**
 * The ids and keys of the rows with the value `v.value`, in an order for which there is no index. If few rows have the value, reads
 * all of them. If many have it, scanning the list itself soon finds the next ones. Only if neither holds, many rows are read. Finds at
 * least `limit` rows, if there are that many. For a value that few rows have, `near` is not used and therefore not executed.
 */
export function pairedInOrder(
  key: SortKey,
  match: AnyPairMatch,
  { table, workspace, below, range, condition, order, limit }: WalkedList,
): string {
  const pairs = `from ${match.table} a where ${isPaired(match, workspace)}`;
  const walk = `select ${placeOf(key)} from ${table} t where ${below(range)} order by ${order()}`;
  const isFurther =
    condition === ALL
      ? ALL
      : `exists (select from ${rowById(table, below('t.id = w.id'))} where ${condition} offset 0)`;
  return `select ${placeOf(key, 'u')} from (
      with near as materialized (
        select ${placeOf(key, 'w')} from (${walk} limit ${MAX_WALKED_ROWS}) w
        where exists (select ${pairs} and a.${match.row} = w.id offset 0)
          and ${isFurther}
        order by ${order('w')} limit ${limit}
      ), enough as materialized (
        select case when exists (select ${pairs} offset ${MANY_PAIRS})
          then (select count(*) from near) >= ${limit} or not exists (${walk} offset ${MAX_WALKED_ROWS}) else false end as yes
      )
      select ${placeOf(key, 'n')} from near n where (select yes from enough)
      union all
      select ${placeOf(key, 'x')} from ${pairsOf(match, `${isPaired(match, workspace)} and not (select yes from enough)`)} cross join lateral (
        select ${placeOf(key)} from ${rowById(table, below(`t.id = a.${match.row}`))} where ${range} and ${condition} offset 0
      ) x
    ) u order by ${order('u')}`;
}

/** The same for a value in the rows themselves, in any order. @param has the condition that a row `t` has the value */
export function walkedOrFound(
  key: SortKey,
  has: string,
  { table, below, range, condition, order, limit }: WalkedList,
): string {
  const walk = (select: string) =>
    `select ${select} from ${table} t where ${below(range)} order by ${order()}`;
  return `select ${placeOf(key, 'u')} from (
      with near as materialized (
        select ${placeOf(key, 'w')} from (${walk(`${placeOf(key)}, (${has} and ${condition}) as found`)} limit ${MAX_WALKED_ROWS}) w
        where w.found order by ${order('w')} limit ${limit}
      ), enough as materialized (
        select case when exists (select from ${table} t where ${below(has)} offset ${MANY_PAIRS})
          then (select count(*) from near) >= ${limit} or not exists (${walk('')} offset ${MAX_WALKED_ROWS}) else false end as yes
      )
      select ${placeOf(key, 'n')} from near n where (select yes from enough)
      union all
      select ${placeOf(key)} from (select t.* from ${table} t where ${below(has)} and not (select yes from enough) offset 0) t
      where ${range} and ${condition}
    ) u order by ${order('u')}`;
}
