// Copies of a row, for lists that are longer than clients would make them.
import type pg from 'pg';

/** What identifies a credential: a copy has another. */
const OWN: Readonly<Record<string, string>> = {
  'api_keys.token_hash': `sha256(convert_to(t.id || ':' || n, 'UTF8'))`,
  'oauth_grants.key': `t.key || ':' || n`,
};

/**
 * Inserts copies of a row. Their ids and UUIDs are new.
 * @param sqlOf the SQL of a column's value, over the row `t` and the number `n` of the copy, from 1 on
 */
export async function multiplyRow(
  client: pg.Client,
  table: string,
  id: bigint,
  count: number,
  sqlOf: (column: { readonly name: string; readonly type: string }) => string,
): Promise<void> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select column_name as name, udt_name as type from information_schema.columns
      where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'
        and column_name not in ('id', 'uuid')`,
    [table],
  );
  await client.query(
    `insert into ${table} (${rows.map(({ name }) => `"${name}"`).join(', ')})
      select ${rows.map((column) => OWN[`${table}.${column.name}`] ?? sqlOf(column)).join(', ')} from ${table} t, generate_series(1, ${count}) n where t.id = $1`,
    [id],
  );
}
