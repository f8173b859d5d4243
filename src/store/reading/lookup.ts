// Look-ups of one row that requests need before the caller is authenticated. They have their own connections, which tenants' reads cannot
// occupy.
import { type Column, rowMaker, selectList } from '../../rows/columns.ts';
import { toStoreError } from '../connections/failures.ts';
import type { Statement } from '../sql/statements.ts';
import type { Store } from '../store.ts';

/** Finds at most one row, over the connections for look-ups. */
export type Lookup<Row> = (store: Store, values: unknown[]) => Promise<Row | null>;

/**
 * Creates a look-up, which returns a plain object.
 * @param columns the selected columns
 * @param textOf builds the statement from its select list. It may write, but only idempotently, since it may be executed more than once
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
