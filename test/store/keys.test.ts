// Every table below a workspace can be distributed by it: read from PostgreSQL's catalogs, so that new tables are covered.
import { describe, expect, test } from 'vitest';
import { ownGateway } from '../support/gateway.ts';

/** Small, with a copy on every node: references use its id alone. */
const REFERENCE_TABLES = ['custom_domains'];

const gateway = await ownGateway();

/** One column of the answer; `t` are the tables below a workspace, by `oid` and `name`. */
async function ask(sql: string): Promise<string[]> {
  const { rows } = await gateway.app.store.pool.query<{ answer: string }>(
    `with t as (
      select attrelid as oid, attrelid::regclass::text as name
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where attname = 'workspace_id' and relkind in ('r', 'p') and relnamespace = 'public'::regnamespace
        and attrelid::regclass::text <> all($1)
    ), columns as (
      select indexrelid, array_agg(coalesce(attname, '?') order by place) as names
      from pg_index cross join unnest(indkey) with ordinality as key (attnum, place)
        left join pg_attribute on attrelid = indrelid and pg_attribute.attnum = key.attnum and key.attnum > 0
      group by indexrelid
    ) ${sql}`,
    [REFERENCE_TABLES],
  );
  return rows.map(({ answer }) => answer).sort();
}

const HAVING_ID = `(select from pg_attribute where attrelid = t.oid and attname = 'id')`;

describe('tables below a workspace', () => {
  test('are found', async () => {
    expect(await ask('select name as answer from t')).toEqual(
      expect.arrayContaining(['contact_tags', 'contacts', 'funnel_steps', 'tags', 'webhook_endpoints']),
    );
  });

  test('have a primary key that begins with the workspace', async () => {
    const keys = `select name from t join pg_index i on indrelid = oid and indisprimary join columns c using (indexrelid)
      where c.names[1] = 'workspace_id'`;
    expect(await ask(`select name as answer from t where name not in (${keys})`)).toEqual([]);
  });

  test('have the workspace in every unique constraint', async () => {
    expect(
      await ask(`select indexrelid::regclass::text as answer from t join pg_index on indrelid = oid join columns using (indexrelid)
        where indisunique and 'workspace_id' <> all(names)`),
    ).toEqual([]);
  });

  test('refer to each other together with the workspace', async () => {
    expect(
      await ask(`select conname as answer from t join pg_constraint on conrelid = t.oid and contype = 'f'
        where confrelid in (select oid from t) and not exists (
          select from unnest(conkey, confkey) as pair (own, other)
            join pg_attribute a on a.attrelid = conrelid and a.attnum = own
            join pg_attribute b on b.attrelid = confrelid and b.attnum = other
          where a.attname = 'workspace_id' and b.attname = 'workspace_id')`),
    ).toEqual([]);
  });

  test('have only triggers whose work `distribute` leaves to statements, and no exclusion constraint', async () => {
    expect(
      await ask(
        'select distinct tgname as answer from t join pg_trigger on tgrelid = t.oid where not tgisinternal order by 1',
      ),
    ).toEqual([
      ...['billed', 'changed', 'served', 'unbilled'].map((of) => `keep_fulfillment_status_${of}`),
      ...['added', 'changed'].map((of) => `keep_tagged_funnels_${of}`),
      ...['added', 'changed', 'priced', 'repriced', 'unpriced'].map((of) => `keep_tagged_products_${of}`),
      ...['take_time_of_change', 'take_time_of_creation'],
      ...['tell_pages_of_added_steps', 'tell_pages_of_changed_steps', 'tell_pages_of_deleted_steps'],
    ]);
    expect(
      await ask(`select conname as answer from t join pg_constraint on conrelid = t.oid and contype = 'x'`),
    ).toEqual([]);
  });

  test('are found by the id alone through a hash index, and by no other index that begins with it', async () => {
    const beginning = (methods: string) => `select name from t join pg_index on indrelid = t.oid
      join columns using (indexrelid) join pg_class i on i.oid = indexrelid join pg_am on pg_am.oid = relam
      where names[1] = 'id' and amname ${methods}`;
    expect(
      await ask(
        `select name as answer from t where exists ${HAVING_ID} and name not in (${beginning("= 'hash'")})`,
      ),
    ).toEqual([]);
    expect(await ask(beginning("<> 'hash'").replace('select name', 'select name as answer'))).toEqual([]);
  });
});

test('no index is on a public id, because Node converts it to the id', async () => {
  const { rows } = await gateway.app.store.pool.query(
    "select indexname from pg_indexes where indexdef ~ '\\mpublic_id\\M'",
  );
  expect(rows).toEqual([]);
});
