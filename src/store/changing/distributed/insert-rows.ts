// Rows of one shard, by VALUES. Rows of a query are copied there by Citus, which then commits in two phases: if the node failed between
// them, the rows would appear up to a minute late, behind those who walk through the list.
import type { Executor } from '../../connections/executor.ts';

/** So that a statement has fewer parameters than PostgreSQL takes, whatever there is to tell. */
const MAX_ROWS = 500;

interface Rows {
  /** `insert into TABLE (COLUMNS)`, the first of which is `workspace_id`. */
  readonly insert: string;
  readonly workspaceId: bigint;
  /** The types of the other columns. */
  readonly types: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** What is asked of each. */
  readonly returning: string;
}

/** Inserts rows, in their order. @returns what is asked of them */
export async function insertRows<Row extends object>(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  { insert, workspaceId, types, rows, returning }: Rows,
): Promise<Row[]> {
  const inserted: Row[] = [];
  for (let from = 0; from < rows.length; from += MAX_ROWS) {
    const batch = rows.slice(from, from + MAX_ROWS);
    const tuples = batch.map((_, row) => {
      const values = types.map((type, column) => `$${row * types.length + column + 2}::${type}`);
      return `($1::bigint, ${values})`;
    });
    const text = `${insert} values ${tuples} returning ${returning}`;
    inserted.push(...(await tx.$queryRawUnsafe<Row[]>(text, workspaceId, ...batch.flat())));
  }
  return inserted;
}
