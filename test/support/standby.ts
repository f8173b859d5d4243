// A migrated primary with a streaming replica, both embedded: the replica's folder is a copy of the primary's.
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { applyMigrations } from '../../src/store/migrations/migrations.ts';
import { createClusters, query } from './cluster.ts';

export interface Replicated {
  readonly primaryUrl: string;
  readonly replicaUrl: string;
  /** The replica replays nothing until `resume`. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Waits until the replica has replayed everything that the primary wrote. */
  catchUp(): Promise<void>;
  /** Stops the replica. */
  stopReplica(): Promise<void>;
  clean(): Promise<void>;
}

const SETTINGS = { wal_level: 'replica', max_wal_senders: '4', full_page_writes: 'off', autovacuum: 'off' };

export async function startReplicated(): Promise<Replicated> {
  const clusters = createClusters();
  const folder = await clusters.folder();
  const first = await clusters.open(folder, SETTINGS);
  const pool = new pg.Pool({ connectionString: first.url });
  // Its connections may still be closing when the database is stopped.
  pool.on('error', () => {});
  await applyMigrations(pool);
  await pool.end();
  await first.release();
  const copy = await clusters.folder(folder);
  const primary = await clusters.open(folder, SETTINGS);
  // Only the administrator may replicate, and pause a replay.
  const { host, port, user } = new pg.Client({ connectionString: primary.administratorUrl });
  const cluster = first.dataDir.replace(folder, copy);
  await writeFile(join(cluster, 'standby.signal'), '', { mode: 0o644 });
  await appendFile(
    join(cluster, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${host} port=${port} user=${user}'\n`,
  );
  const replica = await clusters.open(copy, SETTINGS);
  const pausing = async () => {
    const [row] = await query(replica.administratorUrl, 'select pg_get_wal_replay_pause_state() as state');
    return row?.['state'];
  };
  const positionOf = async (url: string, position: string) => {
    const [row] = await query(url, `select (${position} - '0/0'::pg_lsn)::int8::text as log`);
    return BigInt(String(row?.['log']));
  };
  return {
    primaryUrl: primary.url,
    replicaUrl: replica.url,
    async pause() {
      await query(replica.administratorUrl, 'select pg_wal_replay_pause()');
      // The call only requests a pause: the replica replays what arrives until then.
      while ((await pausing()) !== 'paused');
    },
    resume: async () => void (await query(replica.administratorUrl, 'select pg_wal_replay_resume()')),
    async catchUp() {
      const written = await positionOf(primary.url, 'pg_current_wal_flush_lsn()');
      while ((await positionOf(replica.url, 'pg_last_wal_replay_lsn()')) < written);
    },
    stopReplica: () => replica.release(),
    clean: () => clusters.clean(),
  };
}
