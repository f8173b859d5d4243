// Jobs that only one process of the gateway runs at a time: pg-boss, in a schema of its own. It updates its tables when it starts. If the
// user of a running gateway may not do that, the command `migrate` has done it before.
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Logger } from '../../output/log.ts';
import { toReason } from '../connections/failures.ts';

const SCHEMA = 'funnel_gateway_jobs';

/** Work that is repeated at fixed times. */
export interface ScheduledJob {
  /** Also the name of its queue. */
  readonly name: string;
  /** When it begins, in UTC. */
  readonly cron: string;
  /** @param signal aborted when the process stops, or when the run takes so long that another one may begin */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

export interface JobQueue {
  /** Starts no more runs; resolves when the current run has ended. */
  close(): Promise<void>;
}

/** A run is aborted after this time, and the run of a dead process counts as ended. */
const MAX_RUN_SECONDS = 3_600;
/** How often a process asks for a job whose time has come. */
const POLL_SECONDS = 15;
const CLOSE_TIMEOUT_MS = 30_000;
/** While the database is away, each of pg-boss' polls fails. */
const LOG_INTERVAL_MS = 60_000;

/**
 * Runs jobs in the background at their times, each in only one of the processes that run jobs. While the database is unavailable it keeps
 * trying.
 */
export function startJobQueue(pool: pg.Pool, log: Logger, jobs: readonly ScheduledJob[]): JobQueue {
  const boss = createBoss(pool, log);
  const closing = new AbortController();

  async function start(): Promise<void> {
    await boss.start({ attempts: 1_000_000 });
    for (const { name, cron, run } of jobs) {
      if (closing.signal.aborted) return;
      await boss.createQueue(name, { policy: 'stately', retryLimit: 0, expireInSeconds: MAX_RUN_SECONDS });
      await boss.schedule(name, cron);
      await boss.work(name, { pollingIntervalSeconds: POLL_SECONDS }, async ([job]) => {
        await run(AbortSignal.any([closing.signal, ...(job === undefined ? [] : [job.signal])]));
      });
    }
  }

  const starting = start().catch((error: Error) => {
    if (!closing.signal.aborted) log.error({ reason: toReason(error) }, 'scheduled jobs are not run');
  });
  return {
    async close() {
      closing.abort();
      await boss.stop({ timeout: CLOSE_TIMEOUT_MS });
      await starting;
    },
  };
}

/** Creates or updates pg-boss' tables. @throws the driver's error */
export async function migrateJobQueue(pool: pg.Pool, log: Logger): Promise<void> {
  const boss = createBoss(pool, log);
  await boss.start();
  await boss.stop({ timeout: CLOSE_TIMEOUT_MS });
}

function createBoss(pool: pg.Pool, log: Logger): PgBoss {
  const boss = new PgBoss({
    db: { executeSql: (text, values = []) => pool.query(text, values) },
    schema: SCHEMA,
    registerInstance: false,
    // These need the owner of the tables, or more rights than a gateway should have.
    reindex: false,
    monitorVacuum: false,
  });
  let loggedAt = Number.NEGATIVE_INFINITY;
  const warn = (reason: string) => {
    if (performance.now() - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = performance.now();
    log.warn({ reason }, 'job queue');
  };
  boss.on('error', (error) => warn(toReason(error)));
  boss.on('warning', ({ message }) => warn(message));
  return boss;
}
