// Records a store's migrations in `_prisma_migrations`, like `prisma migrate deploy`, so that each can continue where the other stopped.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { checksumOf, type Migration } from './folder.ts';

export interface Row {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

const CREATE = `create table if not exists _prisma_migrations (
  id varchar(36) primary key not null, checksum varchar(64) not null, finished_at timestamptz, migration_name varchar(255) not null,
  logs text, rolled_back_at timestamptz, started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`;

/** Creates the table if it is missing. */
export async function createHistory(db: pg.Pool): Promise<void> {
  await db.query(CREATE);
}

/** Reads the migrations in the order in which they began; none without the table. */
export async function readHistory(db: pg.Pool): Promise<Row[]> {
  try {
    const { rows } = await db.query<Row>(
      `select migration_name as name, checksum, finished_at is not null as finished
         from _prisma_migrations where rolled_back_at is null order by started_at`,
    );
    return rows;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '42P01') return [];
    throw error;
  }
}

/** Records that a migration is applied. Must run in its transaction. */
export async function recordApplied(
  client: pg.ClientBase,
  { name, sql }: Migration,
  startedAt: Date,
): Promise<void> {
  await client.query(
    `insert into _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
      values ($1, $2, $3, $4, $5, 1)`,
    [randomUUID(), checksumOf(sql), new Date(), name, startedAt],
  );
}

/** Records that a migration has failed, and why. Its changes were rolled back. */
export async function recordFailed(db: pg.Pool, { name, sql }: Migration, reason: string): Promise<void> {
  await db.query(
    'insert into _prisma_migrations (id, checksum, migration_name, logs) values ($1, $2, $3, $4)',
    [randomUUID(), checksumOf(sql), name, reason],
  );
}

/** Deletes the records of migrations that failed, or whose process is gone. */
export async function forgetUnfinished(db: pg.Pool): Promise<void> {
  await db.query('delete from _prisma_migrations where finished_at is null and rolled_back_at is null');
}
