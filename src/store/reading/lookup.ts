// Look-ups of one row that precede authentication. They have their own connections, which tenants' reads cannot occupy.
import type { FieldType, ValueOfType } from '../../resources/description/field-types.ts';
import { type DescribedColumn, rowMaker, selectList } from '../../rows/columns.ts';
import { toStoreError } from '../connections/failures.ts';
import { inWorkspace, type Statement } from '../sql/statements.ts';
import type { Store } from '../store.ts';

/** A selected column: its type, or a description. */
type LookupColumn = FieldType | (DescribedColumn & { readonly nullable?: true });
type TypeOf<C extends LookupColumn> = C extends FieldType ? C : C extends DescribedColumn ? C['type'] : never;

/** The row type of columns. */
type FoundRow<Columns extends Readonly<Record<string, LookupColumn>>> = {
  readonly [Name in keyof Columns]:
    | ValueOfType<TypeOf<Columns[Name]>>
    | (Columns[Name] extends { nullable: true } ? null : never);
};

/** Finds at most one row, over the connections for look-ups. */
type Lookup<Row> = (store: Store, values: unknown[]) => Promise<Row | null>;

/** The row of a look-up. */
export type Found<L extends Lookup<object>> = NonNullable<Awaited<ReturnType<L>>>;

/**
 * Creates a look-up, which returns a plain object.
 * @param columns the selected columns
 * @param textOf builds the statement from its select list. It may write, but only idempotently, because it may be executed more than once
 */
export function lookup<const Columns extends Readonly<Record<string, LookupColumn>>>(
  name: string,
  columns: Columns,
  textOf: (select: string) => string,
): Lookup<FoundRow<Columns>> {
  type Row = FoundRow<Columns>;
  const statement: Statement = { name, text: inWorkspace(textOf(selectList(columns))) };
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
