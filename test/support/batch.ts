// Many rows in one round trip: one statement after another takes several times as long.
import pg from 'pg';
import type { App } from '../../src/context.ts';
import type { PublicIdTable } from '../../src/store/sql/public-ids.ts';

interface Batch {
  /** What is not sent yet. */
  readonly statements: string[];
  /** Ids that are drawn and not used yet. */
  readonly ids: Map<PublicIdTable, bigint[]>;
  readonly used: Map<PublicIdTable, number>;
}

const batches = new WeakMap<App, Batch>();
/** How many ids the last batch used: the next one draws them at once. */
let usual: ReadonlyMap<PublicIdTable, number> = new Map();

/**
 * Makes rows with factories that are given the app of the batch. They are inserted in one transaction at the end, and before any other
 * statement of `make` over the pool. What the database itself would write into a row is not in what the factories return, except its public id.
 * @param draw draws ids, so many of each table
 */
export async function inBatch<T>(
  app: App,
  draw: (counts: ReadonlyMap<PublicIdTable, number>) => Promise<Map<PublicIdTable, bigint[]>>,
  make: (app: App) => Promise<T>,
): Promise<T> {
  const batch: Batch = { statements: [], ids: await draw(usual), used: new Map() };
  const { pool } = app.store;
  const flush = async () => {
    const statements = batch.statements.splice(0);
    // The server runs the statements of one text in one transaction.
    if (statements.length > 0) await pool.query(statements.join(';\n'));
  };
  const flushing = new Proxy(pool, {
    get: (target, name) =>
      name === 'query'
        ? async (...statement: Parameters<typeof pool.query>) => {
            await flush();
            return pool.query(...statement);
          }
        : Reflect.get(target, name),
  });
  const batched = { ...app, store: { ...app.store, pool: flushing } };
  batches.set(batched, batch);
  const made = await make(batched);
  await flush();
  usual = batch.used;
  return made;
}

/** An id that was drawn for the batch of this app, if it has one with an id left. */
export function takeId(app: App, table: PublicIdTable): bigint | undefined {
  const batch = batches.get(app);
  batch?.used.set(table, (batch.used.get(table) ?? 0) + 1);
  return batch?.ids.get(table)?.shift();
}

/** Adds an insertion to the batch of this app; false if it has none. */
export function addRow(
  app: App,
  table: string,
  names: readonly string[],
  values: readonly unknown[],
): boolean {
  const batch = batches.get(app);
  batch?.statements.push(
    `insert into ${table} (${names.join(', ')}) values (${values.map(literalOf).join(', ')})`,
  );
  return batch !== undefined;
}

/** A value as PostgreSQL reads it, of whatever type its column is. */
function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return pg.escapeLiteral(textOf(value));
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  if (Array.isArray(value)) return `{${value.map((item) => JSON.stringify(String(item))).join(',')}}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
