// Inserts many rows in one round trip. Separate statements would take several times as long.
import pg from 'pg';
import type { App } from '../../src/context.ts';
import type { PublicIdTable } from '../../src/store/sql/public-ids.ts';
import { sharePrisma } from './prisma.ts';

/** Rows of one shape, from several inserts, that one statement inserts. */
interface Insertion {
  /** The statement without its values. */
  readonly into: string;
  readonly values: string;
}

interface Batch {
  /** The insertions that are not sent yet. */
  readonly insertions: Insertion[];
  /** Drawn ids that are not used yet. */
  readonly ids: Map<PublicIdTable, bigint[]>;
  readonly used: Map<PublicIdTable, number>;
}

const batches = new WeakMap<App, Batch>();
/** The number of ids that the last batch used, which the next batch draws in advance. */
let usual: ReadonlyMap<PublicIdTable, number> = new Map();

/**
 * Calls `make` several times with the app of a batch, for factories to make rows. One transaction inserts them at the end, or before any
 * other statement of `make` over the pool. Except public ids, the rows that factories return lack the values that the database writes.
 * @param draw draws the given number of ids of each table
 * @param make must do the same each time, so that each insertion has the rows of all calls
 */
export async function inBatches<T>(
  app: App,
  times: number,
  draw: (counts: ReadonlyMap<PublicIdTable, number>) => Promise<Map<PublicIdTable, bigint[]>>,
  make: (app: App) => Promise<T>,
): Promise<T[]> {
  const { pool } = app.store;
  const each = usual;
  const drawn = await draw(new Map([...each].map(([table, count]) => [table, count * times])));
  const all = Array.from({ length: times }, (): Batch => {
    const ids = [...each].map(([table, count]) => [table, drawn.get(table)?.splice(0, count) ?? []] as const);
    return { insertions: [], ids: new Map(ids), used: new Map() };
  });
  let arrived = 0;
  let sent = Promise.withResolvers<void>();
  /** Resolves when all calls have reached this point, and their rows are inserted. */
  async function flush(): Promise<void> {
    const { promise } = sent;
    arrived++;
    if (arrived === times) {
      const { resolve, reject } = sent;
      arrived = 0;
      sent = Promise.withResolvers();
      insertAll(pool, all).then(resolve, reject);
    }
    await promise;
  }
  const flushing = new Proxy(pool, {
    get: (target, name) =>
      name === 'query'
        ? async (...statement: Parameters<typeof pool.query>) => {
            await flush();
            return pool.query(...statement);
          }
        : Reflect.get(target, name),
  });
  sharePrisma(pool, flushing);
  const made = await Promise.all(
    all.map(async (batch) => {
      const batched = { ...app, store: { ...app.store, pool: flushing } };
      batches.set(batched, batch);
      const result = await make(batched);
      await flush();
      return result;
    }),
  );
  usual = all[0]?.used ?? usual;
  return made;
}

async function insertAll(pool: App['store']['pool'], all: readonly Batch[]): Promise<void> {
  const statements: string[] = [];
  const most = Math.max(...all.map(({ insertions }) => insertions.length));
  const lists = all.map(({ insertions }) => insertions.splice(0));
  for (let index = 0; index < most; index++) {
    const at = lists.flatMap((list) => list[index] ?? []);
    for (const [into, rows] of Map.groupBy(at, (insertion) => insertion.into))
      statements.push(`${into} values ${rows.map(({ values }) => values).join(', ')}`);
  }
  // The server runs the statements of one text in one transaction.
  if (statements.length > 0) await pool.query(statements.join(';\n'));
}

/** A drawn id of this app's batch; undefined without a batch, or without an id left. */
export function takeId(app: App, table: PublicIdTable): bigint | undefined {
  const batch = batches.get(app);
  batch?.used.set(table, (batch.used.get(table) ?? 0) + 1);
  return batch?.ids.get(table)?.shift();
}

/** Adds an insertion to this app's batch; false without a batch. */
export function addRow(
  app: App,
  table: string,
  names: readonly string[],
  values: readonly unknown[],
): boolean {
  const batch = batches.get(app);
  batch?.insertions.push({
    into: `insert into ${table} (${names.join(', ')})`,
    values: `(${values.map(literalOf).join(', ')})`,
  });
  return batch !== undefined;
}

/** A value as a PostgreSQL literal, for a column of any type. */
function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return pg.escapeLiteral(textOf(value));
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) return `{${value.map((item) => JSON.stringify(String(item))).join(',')}}`;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
