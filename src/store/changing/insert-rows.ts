// Inserts rows of one workspace with VALUES. With `insert … select` from values, a store on several servers would commit in two phases
// (shard-placement/): if one failed in between, the rows could appear late, behind the position of clients that page through the list.
import type { Executor } from '../connections/executor.ts';

/** Keeps the number of parameters below PostgreSQL's limit, however many rows there are. */
const MAX_ROWS = 500;

interface Rows {
  /** `insert into TABLE (COLUMNS)`; the first column is `workspace_id`. */
  readonly insert: string;
  readonly workspaceId: bigint;
  /** The types of the other columns. */
  readonly types: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** The `returning` list. */
  readonly returning: string;
}

/** Inserts rows, in their order. @returns the `returning` columns of each row */
export async function insertRows<Row extends object>(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { insert, workspaceId, types, rows, returning }: Rows,
): Promise<Row[]> {
  const starts = Array.from({ length: Math.ceil(rows.length / MAX_ROWS) }, (_, batch) => batch * MAX_ROWS);
  const inserted = await Promise.all(
    starts.map((from) => {
      const batch = rows.slice(from, from + MAX_ROWS);
      const tuples = batch.map((_, row) => {
        const values = types.map((type, column) => `$${row * types.length + column + 2}::${type}`);
        return `($1::bigint, ${values})`;
      });
      const text = `${insert} values ${tuples} returning ${returning}`;
      return tx.$queryRawUnsafe<Row[]>(text, workspaceId, ...batch.flat());
    }),
  );
  return inserted.flat();
}
