// The rows that another table pairs with a value, in the order of their times, for which there is no index. Of a value that few rows have
// all are read; of one that many have, the next ones are soon met in the list itself. Only where neither holds, many are read.
import type { PairMatch } from '../sql/filters.ts';

/** Of a value that more rows have than these, the rows of the list are walked in their order, at most so many. */
const MANY_PAIRS = 2_500;
const MAX_WALKED_ROWS = 20_000;

interface List {
  /** The table of the list; its rows are `t`. */
  readonly table: string;
  readonly workspace: string;
  /** That a row is in the list, together with another condition. */
  readonly below: (within: string) => string;
  /** The positions that the page lies between. */
  readonly range: string;
  readonly condition: string;
  readonly order: (alias?: string) => string;
  readonly limit: string;
}

/**
 * Ids and times of rows with the value `v.value`, in order; no less than `limit` of them, where there are so many. Of a value that few have
 * nobody asks for `near`, so that it is not executed.
 */
export function pairedByTime(
  match: PairMatch,
  { table, workspace, below, range, condition, order, limit }: List,
): string {
  const pairs = `from ${match.table} a where a.workspace_id = ${workspace} and a.${match.value} = v.value`;
  const walk = `select t.id, t.updated_at from ${table} t where ${below(range)} order by ${order()}`;
  return `select t.id, t.updated_at from (
      with near as materialized (
        select w.id, w.updated_at from (${walk} limit ${MAX_WALKED_ROWS}) w
        where exists (select ${pairs} and a.${match.row} = w.id offset 0)
          and exists (select from ${table} t where ${below('t.id = w.id')} and ${condition} offset 0)
        order by ${order('w')} limit ${limit}
      ), enough as materialized (
        select case when exists (select ${pairs} offset ${MANY_PAIRS})
          then (select count(*) from near) >= ${limit} or not exists (${walk} offset ${MAX_WALKED_ROWS}) else false end as yes
      )
      select n.id, n.updated_at from near n where (select yes from enough)
      union all
      select t.id, t.updated_at from ${match.table} a cross join lateral (
        select t.id, t.updated_at from ${table} t where t.id = a.${match.row} and ${below(range)} and ${condition} offset 0
      ) t
      where a.workspace_id = ${workspace} and a.${match.value} = v.value and not (select yes from enough)
    ) t order by ${order()}`;
}
