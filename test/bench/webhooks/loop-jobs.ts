// The jobs of pg-boss-loop: one for each delivery, in a schema of its own.
import type pg from 'pg';
import { PgBoss } from 'pg-boss';

export const LOOP_SCHEMA = 'bench_pgboss';
export const LOOP_QUEUE = 'deliveries';

export interface LoopJob {
  readonly url: string;
  /** JSON, sent as it is. */
  readonly body: string;
}

/** Makes the queue anew. */
export async function createLoopQueue(client: pg.Client): Promise<void> {
  await dropLoopQueue(client);
  await withBoss(client, async (boss) => {
    await boss.createQueue(LOOP_QUEUE);
  });
}

export async function dropLoopQueue(client: pg.Client): Promise<void> {
  await client.query(`drop schema if exists ${LOOP_SCHEMA} cascade`);
}

/** Replaces what is in the queue. */
export async function fillLoopQueue(client: pg.Client, jobs: readonly LoopJob[]): Promise<void> {
  await client.query(`truncate ${LOOP_SCHEMA}.job`);
  await withBoss(client, async (boss) => {
    await boss.insert(
      LOOP_QUEUE,
      jobs.map((data) => ({ data })),
    );
  });
  await client.query(`vacuum analyze ${LOOP_SCHEMA}.job`);
}

/** @throws Error unless so many jobs are completed, and there are no others */
export async function requireCompleted(client: pg.Client, count: number): Promise<void> {
  const { rows } = await client.query<{ state: string; count: number }>(
    `select state::text, count(*)::int from ${LOOP_SCHEMA}.job group by state`,
  );
  const [only] = rows;
  if (rows.length !== 1 || only?.state !== 'completed' || only.count !== count)
    throw new Error(`of ${count} jobs: ${JSON.stringify(rows)}`);
}

async function withBoss(client: pg.Client, work: (boss: PgBoss) => Promise<void>): Promise<void> {
  const boss = new PgBoss({
    db: { executeSql: (text, values = []) => client.query(text, values.length > 0 ? values : undefined) },
    schema: LOOP_SCHEMA,
    supervise: false,
    schedule: false,
  });
  await boss.start();
  try {
    await work(boss);
  } finally {
    await boss.stop({ close: false, graceful: false });
  }
}
