// pg-boss: the queue of endpoints that have deliveries due, a job for each (DESIGN §13). It says who has which endpoint, finds the jobs of
// workers that died, and wakes. Jobs are disposable: what must not be lost is in webhook_deliveries.
import { createHash } from 'node:crypto';
import type pg from 'pg';
import type { PgBoss } from 'pg-boss';
import type { Logger } from '../../output/log.ts';
import { toReason } from '../connections/failures.ts';
import type { Statement } from '../sql/statements.ts';

/** The one queue. Of each endpoint at most one job waits, and one is under way. */
export const QUEUE = 'webhook_endpoints';

/** Of its own: the database may be used by others who have pg-boss, too. */
const SCHEMA = 'funnel_gateway_jobs';

/** Where pg-boss notifies of a job that can be fetched now: part of the statement that inserts it. */
export const JOBS_CHANNEL = `pgboss_${createHash('sha224').update(SCHEMA).digest('hex').slice(0, 24)}`;

/** Jobs of dead workers are looked for so often, by one process. */
const MONITOR_SECONDS = 10;

/** An endpoint that this process has, and nobody else. */
export interface Claim {
  readonly endpointId: bigint;
  /** The job, and which of its attempts: a claim that was lost can change nothing. */
  readonly job: { readonly id: string; readonly retryCount: number };
}

export interface JobQueue {
  /** Makes a job for each of the endpoints that has none waiting, and wakes workers. */
  add(endpointIds: readonly bigint[]): Promise<void>;
  /** Makes an endpoint's waiting job due only after so long, or one that is. */
  defer(endpointId: bigint, seconds: number): Promise<void>;
  /** Takes at most so many endpoints that nobody else has. */
  claim(limit: number): Promise<Claim[]>;
  /** Takes away what waits for endpoints that this process has already. Returns these: something has become due for them. */
  takeWaiting(claims: readonly Claim[]): Promise<ReadonlySet<bigint>>;
  /** Says that this process is alive. Returns the claims that it still has. */
  keep(claims: readonly Claim[]): Promise<Claim[]>;
  /** Gives endpoints back. */
  release(claims: readonly Claim[]): Promise<void>;
  /** Gives the endpoints of dead workers to others. */
  supervise(): Promise<void>;
  close(): Promise<void>;
}

/** The queue over a pool. pg-boss is loaded, and looks at its tables, when it is first needed. */
export function createJobQueue(pool: pg.Pool, log: Logger): JobQueue {
  let starting: Promise<PgBoss> | undefined;

  function boss(): Promise<PgBoss> {
    starting ??= start(pool, log);
    // A start that failed is tried again with the next call.
    starting.catch(() => {
      starting = undefined;
    });
    return starting;
  }

  return {
    async add(endpointIds) {
      // A singleton key that has a waiting job is passed over: there is nothing to notify of.
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
      // Deleted, not completed: a completed job is a row that somebody has to clean.
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

/** Not by pg-boss: it finds jobs of one key at a time. Where it is not taken away, a job of the same key would wake nobody. */
const TAKE_WAITING: Statement = {
  name: 'jobs.take_waiting',
  text: `delete from ${SCHEMA}.job where name = '${QUEUE}' and state = 'created' and start_after <= current_timestamp
    and singleton_key = any($1::text[]) returning singleton_key as key`,
};

/** Planning one of its statements takes longer than executing it: they are prepared. Without values it may be several at once. */
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
    // `supervise` is called by workers: nothing of pg-boss's own runs in the background but a look at the list of queues.
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
