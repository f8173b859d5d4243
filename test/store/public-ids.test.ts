// Public ids: PostgreSQL writes them, Node reads them, with the same arithmetic.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  idOfPublicId,
  type PublicIdTable,
  parseId,
  TYPE_NUMBER,
  toPublicId,
} from '../../src/store/sql/public-ids.ts';
import { sharedGateway } from '../support/gateway.ts';

const SIX = 52n ** 6n;
const MAX = 2n ** 63n - 1n;
const TABLES = Object.keys(TYPE_NUMBER) as PublicIdTable[];
/** The values at which the arithmetic changes its form, or ends. */
const EDGES = [1n, 2n, 52n ** 3n, SIX - 1n, SIX, SIX + 1n, 2n * SIX - 1n, 2n * SIX, 2n ** 53n, MAX - 1n, MAX];

const gateway = await sharedGateway();

const anyTable = fc.constantFrom(...TABLES);
const anyId = fc.oneof(
  fc.constantFrom(...EDGES),
  fc.bigInt(1n, 1_000n),
  fc.bigInt(1n, SIX - 1n),
  fc.bigInt(SIX, MAX),
);

test('PostgreSQL and Node write the same public id for every id and type', async () => {
  const pairs = fc.array(fc.tuple(anyTable, anyId), { minLength: 50, maxLength: 500 });
  await fc.assert(
    fc.asyncProperty(pairs, async (all) => {
      const { rows } = await gateway.app.store.pool.query<{ public_id: string }>(
        'select public_id(t, id) from unnest($1::int[], $2::bigint[]) as pairs (t, id)',
        [all.map(([table]) => TYPE_NUMBER[table]), all.map(([, id]) => id)],
      );
      expect(rows.map((row) => row.public_id)).toEqual(all.map(([table, id]) => toPublicId(table, id)));
    }),
    { numRuns: 20, endOnFailure: true },
  );
});

test('they are written also without a search path, as in logical replication', async () => {
  const client = await gateway.app.store.pool.connect();
  try {
    const { rows: schemas } = await client.query<{ schema: string }>('select current_schema() as schema');
    await client.query("begin; set local search_path = ''");
    const { rows } = await client.query<{ public_id: string }>(
      `select ${schemas[0]?.schema}.public_id($1, id) from unnest($2::bigint[]) as ids (id)`,
      [TYPE_NUMBER.contacts, EDGES],
    );
    expect(rows.map((row) => row.public_id)).toEqual(EDGES.map((id) => toPublicId('contacts', id)));
  } finally {
    await client.query('rollback');
    client.release();
  }
});

test('every table’s own column is the public id of its type', async () => {
  const { rows } = await gateway.app.store.pool.query<{ name: string; expression: string }>(
    `select adrelid::regclass::text as name, pg_get_expr(adbin, adrelid) as expression
      from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum join pg_class c on c.oid = adrelid
      where attname = 'public_id' and not relispartition`,
  );
  const expected = TABLES.map((name) => [name, `public_id(${TYPE_NUMBER[name]}, id)`]);
  expect(rows.map(({ name, expression }) => [name, expression]).sort()).toEqual(expected.sort());
});

test('a public id leads back to its id, in its own type alone, and is six letters while it can be', () => {
  fc.assert(
    fc.property(anyTable, anyId, anyTable, (table, id, other) => {
      const publicId = toPublicId(table, id);
      expect(publicId).toMatch(id < SIX ? /^[A-Za-z]{6}$/ : /^[A-Za-z]{12}$/);
      expect(idOfPublicId(table, publicId)).toBe(id);
      if (other !== table) expect(idOfPublicId(other, publicId)).not.toBe(id);
    }),
  );
});

test('any text is null, or the public id of exactly one id', () => {
  const letters = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
  const text = fc.oneof(
    fc.string({ unit: letters, minLength: 5, maxLength: 13 }),
    fc.string({ unit: letters, minLength: 6, maxLength: 6 }),
    fc.string({ unit: letters, minLength: 12, maxLength: 12 }),
    fc.string({ unit: 'binary', maxLength: 13 }),
  );
  fc.assert(
    fc.property(anyTable, text, (table, publicId) => {
      const id = idOfPublicId(table, publicId);
      if (id === null) return;
      expect(id >= 1n && id <= MAX).toBe(true);
      expect(toPublicId(table, id)).toBe(publicId);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['five letters', 'ABCDE'],
  ['seven letters', 'ABCDEFG'],
  ['a letter that is none of ours', 'ABCDÉF'],
  ['a digit among them', 'ABCDE1'],
  ['a line end behind them', 'ABCDEF\n'],
  ['nothing', ''],
])('%s are no public id', (_, text) => {
  expect(idOfPublicId('contacts', text)).toBeNull();
});

test('a text for 0, for a small id in twelve letters, or for more than 2^63 - 1, is not a public id', () => {
  const zero = toPublicId('contacts', SIX).slice(0, 6);
  // The halves of 52^6 are 1 and 1 + 0.
  expect(toPublicId('contacts', 1n)).toBe(zero);
  const ofZero = toPublicId('contacts', SIX - 1n);
  expect(idOfPublicId('contacts', ofZero)).toBe(SIX - 1n);
  const highest = toPublicId('contacts', MAX);
  const beyond = toPublicId('contacts', (MAX / SIX + 1n) % SIX) + highest.slice(6);
  expect(idOfPublicId('contacts', beyond)).toBeNull();
});

test('an id is at most 2^63 - 1, in digits or in letters', () => {
  expect(parseId('contacts', '9223372036854775807')).toBe(MAX);
  expect(parseId('contacts', '9223372036854775808')).toBeNull();
  expect(parseId('contacts', toPublicId('contacts', MAX))).toBe(MAX);
  expect(parseId('contacts', '-1')).toBeNull();
});
