// Deadlocks and serialization failures are forced: changes are tried again a bounded number of times, none is made twice or half, and what
// clients are told is true. `npm run trial -- conflicts [seconds]`. Many clients change the same few contacts, while other sessions lock
// the workspace and then the contact, the opposite of what a change does; then all over again where every transaction is serializable.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serve } from './faults/gateway.ts';
import { outcomeOf } from './faults/ledger.ts';
import { type Caller, type Kind, startLoad } from './faults/load.ts';
import { startPostgres } from './faults/postgres.ts';
import { createCallers } from './faults/tenants.ts';
import { reportAnswers, reportLedger, untilServed } from './faults/verdict.ts';
import { say } from './say.ts';
import { quantile, report } from './test-bed.ts';

const SECONDS = Number(process.argv[3] ?? 20);
const ONLY = process.argv[4];
const PER_SECOND = 40;
const HOT = 3;
const FOREIGN_SESSIONS = 3;
const MAX_ANSWER_MS = 10_000;
/** A failure of one of its statements, as PostgreSQL logs it. */
const OF_GATEWAY = /^funnel-gateway\/\d+ ERROR/;
const MIX: readonly Kind[] = [
  'rest update',
  'graphql update',
  'rest update',
  'rest create',
  'rest show',
  'graphql list',
];

/** Locks a workspace and then one of its contacts, again and again. */
async function lockOppositely(url: string, { workspaceId }: Caller, isOver: () => boolean): Promise<number> {
  const client = new pg.Client({ connectionString: url, application_name: 'foreign' });
  await client.connect();
  let deadlocks = 0;
  while (!isOver()) {
    try {
      await client.query('begin');
      await client.query('select from workspaces where id = $1 for update', [workspaceId]);
      await sleep(Math.random() * 30);
      await client.query(
        `select from contacts where workspace_id = $1 and id in
          (select id from contacts where workspace_id = $1 order by id limit ${2 * HOT}) for update`,
        [workspaceId],
      );
      await client.query('commit');
    } catch (error) {
      if ((error as { code?: string }).code === '40P01') deadlocks++;
      await client.query('rollback');
    }
    await sleep(50 + Math.random() * 150);
  }
  await client.end();
  return deadlocks;
}

for (const isolation of ['read committed', 'repeatable read', 'serializable']) {
  if (ONLY !== undefined && !isolation.startsWith(ONLY)) continue;
  const postgres = await startPostgres({
    default_transaction_isolation: isolation,
    deadlock_timeout: '100ms',
    log_min_messages: 'error',
  });
  const gateway = await serve({ DATABASE_URL: postgres.url });
  try {
    const callers = await createCallers(postgres.url, 2);
    const run = `conflicts-${isolation.replaceAll(' ', '-')}-${process.pid}`;
    const load = startLoad({
      ...{ origin: () => gateway.origin, callers, run },
      perSecond: PER_SECOND,
      mix: MIX,
      hot: HOT,
    });
    await untilServed(load.entries, performance.now(), 30_000);
    let isOver = false;
    const foreign = Array.from({ length: FOREIGN_SESSIONS }, (_, index) =>
      lockOppositely(postgres.url, callers[index % callers.length] as Caller, () => isOver),
    );
    await sleep(SECONDS * 1_000);
    isOver = true;
    await Promise.all(foreign);
    await load.stop();
    const log = await postgres.log();
    const failures = (pattern: RegExp) =>
      log.split('\n').filter((line) => OF_GATEWAY.test(line) && pattern.test(line)).length;
    const [deadlocks, serialization] = [failures(/deadlock detected/), failures(/could not serialize/)];
    const writes = load.entries.filter(({ action }) => action !== null);
    const refused = writes.filter((entry) => outcomeOf(entry) !== 'made').length;
    const longest = quantile(
      load.entries.map(({ ms }) => ms),
      1,
    );
    report(
      `${isolation}: ${deadlocks} deadlocks and ${serialization} serialization failures befell the gateway; of ${writes.length} changes ${refused} were refused; the longest answer took ${longest} ms`,
      deadlocks + serialization > 0 && refused < writes.length / 20 && longest <= MAX_ANSWER_MS,
    );
    const other = log
      .split('\n')
      .filter((line) => OF_GATEWAY.test(line) && !/deadlock detected|could not serialize/.test(line));
    for (const [line, times] of [...Map.groupBy(other, (line) => line)].slice(0, 5))
      say(`    ${times.length} x ${line}`);
    reportAnswers(isolation, load.entries);
    await reportLedger(isolation, postgres.url, run, load.entries);
  } finally {
    await gateway.end('SIGTERM');
    await postgres.remove();
  }
}
