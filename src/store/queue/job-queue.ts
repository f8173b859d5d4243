// pg-boss: the queue of endpoints with due deliveries, one job for each. It assigns endpoints to processes, detects the jobs of dead
// workers, and wakes workers. Jobs are disposable: durable data is in webhook_deliveries.
import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { Logger } from '../../output/log.ts';
import { toReason } from '../connections/failures.ts';
import type { Statement } from '../sql/statements.ts';

/** The only queue. Each endpoint has at most one waiting and one active job. */
export const QUEUE = 'webhook_endpoints';

/** A schema of its own, because others may use pg-boss in the same database. */
const SCHEMA = 'funnel_gateway_jobs';

/** The channel on which pg-boss notifies of a job that can be fetched now, as part of the statement that inserts it. */
export const JOBS_CHANNEL = `pgboss_${createHash('sha224').update(SCHEMA).digest('hex').slice(0, 24)}`;

/** How often one process looks for jobs of dead workers. */
const MONITOR_SECONDS = 10;

/** An endpoint that only this process delivers to. */
export interface Claim {
  readonly endpointId: bigint;
  /** The job and the number of its attempt: a claim that was lost cannot change anything. */
  readonly job: { readonly id: string; readonly retryCount: number };
}

export interface JobQueue {
  /** Adds a job for each endpoint without a waiting one, and wakes workers. */
  add(endpointIds: readonly bigint[]): Promise<void>;
  /** Makes an endpoint's waiting job, or a new one, due after so many seconds. */
  defer(endpointId: bigint, seconds: number): Promise<void>;
  /** Claims at most so many endpoints that no process has. */
  claim(limit: number): Promise<Claim[]>;
  /** Removes the waiting jobs of endpoints that this process has claimed. Returns their claims: they have new due deliveries. */
  takeWaiting(claims: readonly Claim[]): Promise<ReadonlySet<bigint>>;
  /** Sends the heartbeat of this process. Returns the claims that it still holds. */
  keep(claims: readonly Claim[]): Promise<Claim[]>;
  /** Releases endpoints. */
  release(claims: readonly Claim[]): Promise<void>;
  /** Makes the endpoints of dead workers available to others. */
  supervise(): Promise<void>;
  close(): Promise<void>;
}

/** The queue over a pool. pg-boss is loaded, and checks its tables, when it is first needed. */
export function createJobQueue(pool: pg.Pool, log: Logger): JobQueue {
  let starting: Promise<PgBoss> | undefined;

  function boss(): Promise<PgBoss> {
    starting ??= start(pool, log);
    // A failed start is retried at the next call.
    starting.catch(() => {
      starting = undefined;
    });
    return starting;
  }

  return {
    async add(endpointIds) {
      // An endpoint with a waiting job is skipped: there is nothing to notify of.
      const jobs = endpointIds.map((id) => ({ singletonKey: String(id) }));
      await (await boss()).insert(QUEUE, jobs);
    },
    async defer(endpointId, seconds) {
      const options = { singletonKey: String(endpointId), startAfter: seconds };
      await (await boss()).upsert(QUEUE, undefined, options);
    },
    async claim(limit) {
      const jobs = await (await boss()).fetch(QUEUE, { batchSize: limit, includeMetadata: true });
      return jobs.map(({ id, retryCount, singletonKey }) => ({
        endpointId: BigInt(singletonKey ?? 0),
        job: { id, retryCount },
      }));
    },
    async takeWaiting(claims) {
      if (claims.length === 0) return new Set();
      const { rows } = await pool.query<{ key: string }>({
        ...TAKE_WAITING,
        values: [claims.map(({ endpointId }) => String(endpointId))],
      });
      return new Set(rows.map(({ key }) => BigInt(key)));
    },
    async keep(claims) {
      if (claims.length === 0) return [];
      const jobs = claims.map(({ job }) => job);
      const { settled } = (await (await boss()).touch(QUEUE, jobs)) as { settled?: readonly string[] };
      if (settled === undefined) throw new TypeError('pg-boss did not say which jobs are still ours');
      const kept = new Set(settled);
      return claims.filter(({ job }) => kept.has(job.id));
    },
    async release(claims) {
      if (claims.length === 0) return;
      // Deleted instead of completed: a completed job would leave a row to clean up.
      const jobs = claims.map(({ job }) => job);
      await (await boss()).deleteJob(QUEUE, jobs);
    },
    supervise: async () => (await boss()).supervise(QUEUE),
    async close() {
      const started = await starting?.catch(() => undefined);
      await started?.stop({ close: false, graceful: false });
    },
  };
}

/**
 * Not done by pg-boss, which finds jobs of one key at a time. If a waiting job stayed, adding one with the same key would wake no worker.
 */
const TAKE_WAITING: Statement = {
  name: 'jobs.take_waiting',
  text: `delete from ${SCHEMA}.job where name = '${QUEUE}' and state = 'created' and start_after <= current_timestamp
    and singleton_key = any($1::text[]) returning singleton_key as key`,
};

/**
 * pg-boss' statements are prepared, because planning one takes longer than executing it. A text without values may hold several statements.
 */
function execute(pool: pg.Pool, text: string, values: unknown[]): Promise<pg.QueryResult> {
  if (values.length === 0) return pool.query(text);
  const name = `jobs.${createHash('sha1').update(text).digest('base64url')}`;
  return pool.query({ name, text, values });
}

async function start(pool: pg.Pool, log: Logger): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss');
  const boss = new PgBoss({
    db: { executeSql: (text, values = []) => execute(pool, text, values) },
    schema: SCHEMA,
    migrate: false,
    createSchema: false,
    schedule: false,
    // Workers call `supervise`. In the background pg-boss itself only checks the list of queues.
    supervise: false,
    registerInstance: false,
    reindex: false,
    monitorVacuum: false,
    monitorIntervalSeconds: MONITOR_SECONDS,
    maintenanceIntervalSeconds: 3_600,
  });
  boss.on('error', (error) => log.warn({ reason: toReason(error) }, 'job queue'));
  boss.on('warning', ({ message }) => log.warn({ reason: message }, 'job queue'));
  try {
    return await boss.start();
  } catch (error) {
    await boss.stop({ close: false, graceful: false }).catch(() => {});
    throw error;
  }
}
