// What a contact takes on the disk, by table and index.
import { say } from '../say.ts';
import type { Size } from './sizes.ts';

const TABLES = ['contacts', 'contact_tags'];

/** Prints the bytes a contact of its table's rows, of each index, and of all. */
export async function reportStorage({ rows, pool }: Size): Promise<void> {
  say(`\nbytes a contact at ${rows.toLocaleString('en')}`);
  let all = 0;
  for (const table of TABLES) {
    const { rows: parts } = await pool.query<{ name: string; bytes: number }>(
      `select '${table}' as name, pg_table_size('${table}')::float8 as bytes
      union all (select indexrelid::regclass::text, pg_relation_size(indexrelid)::float8 from pg_index
        where indrelid = '${table}'::regclass order by 2 desc)`,
    );
    const counted = await pool.query<{ count: number }>(`select count(*)::float8 as count from ${table}`);
    say(`     ${table}: ${counted.rows[0]?.count.toLocaleString('en')} rows`);
    for (const { name, bytes } of parts) {
      all += bytes;
      say(`     ${name.padEnd(60)}${(bytes / rows).toFixed(1).padStart(8)}`);
    }
  }
  say(`     ${'all'.padEnd(60)}${(all / rows).toFixed(1).padStart(8)}   ${(all / 1e9).toFixed(2)} GB`);
}
