// What the operator and a person see of credentials and accounts, whosever they are: all that clients read of a noun, and more.
import type { Described } from '../../resources/nouns.ts';
import { toSnakeCase } from '../../resources/resource.ts';
import { selectList } from '../../rows/columns.ts';
import { inWorkspace } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import { tableOf } from '../tables/tables.ts';

/** The select list of all that clients read of a noun, over alias `t`. */
export function columnsRead(noun: Described): string {
  return inWorkspace(selectList(tableOf(noun).columns));
}

/**
 * The rows of a noun that have these values, by id.
 * @param where values by property; null: any
 * @param more the SQL of further properties, over alias `t`
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
  const text = `select ${columnsRead(noun)}${added.join('')} from ${noun.table} t where true${isOf.join('')} order by t.id`;
  // Without a name: it is asked seldom, and its text depends on all of these.
  return query(
    store,
    { name: '', text },
    given.map(([, value]) => value),
  );
}
