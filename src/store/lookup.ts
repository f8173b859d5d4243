// Look-ups: what every request needs before it is known who asks. They have connections of their own, which no tenant's work
// can fill, and each finds one row.
import { type Column, rowMaker, selectList } from '../rows/columns.ts';
import { toStoreError } from './failures.ts';
import type { Statement } from './statements.ts';
import type { Store } from './store.ts';

/** Finds at most one row, over the connections that are kept for what comes before everything else. */
export type Lookup<Row> = (store: Store, values: unknown[]) => Promise<Row | null>;

/**
 * A look-up. The row that comes is a plain object.
 * @param columns what is selected
 * @param textOf the statement, given its select list; it may write what may well be written twice
 */
export function lookup<Row extends object>(
  name: string,
  columns: Readonly<Record<keyof Row & string, Column>>,
  textOf: (select: string) => string,
): Lookup<Row> {
  const statement: Statement = { name, text: textOf(selectList(columns)) };
  const make = rowMaker<Row>(columns);
  const properties = Object.keys(columns) as (keyof Row & string)[];
  return async (store, values) => {
    try {
      const [row] = (await store.lookups.read(statement, values)).map(make);
      return row
        ? (Object.fromEntries(properties.map((property) => [property, row[property]])) as Row)
        : null;
    } catch (error) {
      throw toStoreError(error);
    }
  };
}
