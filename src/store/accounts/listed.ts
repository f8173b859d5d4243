// Lists credentials and accounts of all tenants for the operator, and a person's own for that person: everything that clients read of a
// noun, and more.
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Described } from '../../resources/nouns.ts';
import { selectList } from '../../rows/columns.ts';
import { inWorkspace } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import { tableOf } from '../tables/tables.ts';

/** The select list of everything that clients read of a noun, over the alias `t`. */
export function readableColumns(noun: Described): string {
  return inWorkspace(selectList(tableOf(noun).columns));
}

/**
 * Finds the rows of a noun with these values, ordered by id.
 * @param where values by property; null matches any
 * @param more the SQL of more properties, over the alias `t`
 */
export async function findListed<Row extends object>(
  store: Store,
  noun: Described,
  where: Readonly<Record<string, bigint | null>>,
  more: Readonly<Record<string, string>> = {},
): Promise<Row[]> {
  const given = Object.entries(where).filter(([, value]) => value !== null);
  const added = Object.entries(more).map(([property, sql]) => `, ${sql} as "${property}"`);
  const isOf = given.map(([property], index) => ` and t.${toSnakeCase(property)} = $${index + 1}`);
  const text = `select ${readableColumns(noun)}${added.join('')} from ${noun.table} t where true${isOf.join('')} order by t.id`;
  // Unnamed, because it is rare and its text depends on all arguments.
  return query(
    store,
    { name: '', text },
    given.map(([, value]) => value),
  );
}
