// Gateways over stores of different sizes, all at once, so that they are asked in turns: what else the machine does is felt by all.
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { type Dataset, openDataset } from '../../bench/dataset.ts';
import { createProgress } from '../../bench/progress.ts';
import { ROOT } from '../child-processes.ts';
import { serve } from '../faults/gateway.ts';

export interface Size {
  readonly rows: number;
  readonly dataset: Dataset;
  /** The gateway's. */
  readonly port: number;
  readonly pool: pg.Pool;
  /** The ids of contacts that the trial has made. */
  readonly made: number[];
  /** Takes back what the trial has added, and stops. */
  close(): Promise<void>;
}

/** What the system has in memory depends on what was filled last: all is read once, indexes too, so that nobody waits for the disk. */
async function readIntoMemory(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const stream = createReadStream(join(entry.parentPath, entry.name), { highWaterMark: 1024 * 1024 });
    for await (const _ of stream);
  }
}

const QUIET = { LOG_LEVEL: 'error', JOBS: 'off', RATE_LIMIT_KEY: '0', RATE_LIMIT_TEAM: '0' };

/** Starts one; the first time it is filled, which takes a minute or two for a million contacts. */
export async function openSize(rows: number): Promise<Size> {
  const dataset = await openDataset(join(ROOT, '.cache/growth'), rows, createProgress());
  await readIntoMemory(join(dataset.dataDir, 'postgres/base'));
  const pool = new pg.Pool({ connectionString: dataset.url, max: 4 });
  const { rows: last } = await pool.query<{ id: string }>('select last_value as id from contacts_id_seq');
  const gateway = await serve({ DATABASE_URL: dataset.url, ...QUIET });
  return {
    ...{ rows, dataset, port: Number(new URL(gateway.origin).port), pool, made: [] },
    async close() {
      await gateway.end('SIGTERM');
      await pool.query('delete from contacts where id > $1', [last[0]?.id]);
      await pool.query(
        `truncate audit_entries, events, idempotency_records; select setval('contacts_id_seq', ${last[0]?.id})`,
      );
      await pool.query('vacuum contacts');
      await pool.end();
      await dataset.close();
    },
  };
}
