// Two versions of the gateway on one database while it is upgraded under load: no request fails, and a migration that the running
// version could not live with is refused. `npm run trial -- rolling-upgrade [requests a second]`, 20 by default. At the end that
// migration is forced, to show what the refusal is for.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createBalancer } from './faults/balancer.ts';
import { type Serving, serve } from './faults/gateway.ts';
import { isWrong } from './faults/ledger.ts';
import { startLoad } from './faults/load.ts';
import { startPostgres } from './faults/postgres.ts';
import { createCallers } from './faults/tenants.ts';
import { reportLedger, textOf } from './faults/verdict.ts';
import { createVersion } from './faults/version.ts';
import { quantile, report } from './test-bed.ts';

const PER_SECOND = Number(process.argv[3] ?? 20);
const EXPANDING = {
  '20990101000000_scores': `create table scores (id int primary key);
    alter table contacts add column score int default 0, add constraint contacts_score_check check (score >= 0) not valid;`,
  '20990101000001_score_index':
    'create index concurrently contacts_score_idx on contacts (workspace_id, score);',
  '20990101000002_score_check': 'alter table contacts validate constraint contacts_score_check;',
};
const CONTRACTING = {
  '20990201000000_given_names_incompatible': 'alter table contacts rename column first_name to given_name;',
};

const postgres = await startPostgres();
const pool = new pg.Pool({ connectionString: postgres.url });
const second = await createVersion(EXPANDING);
const third = await createVersion({ ...EXPANDING, ...CONTRACTING });
const running = new Set<Serving>();
const balancer = createBalancer();
try {
  const callers = await createCallers(postgres.url, 3);
  const run = `upgrade-${process.pid}`;
  const old = [await start(), await start()];
  const load = startLoad({ origin: () => balancer.next(), callers, perSecond: PER_SECOND, run });
  await sleep(2_000);

  // A reader that takes its time, as a dump or an analyst would: the migration's lock waits for it, and must not make all others wait.
  const reader = await pool.connect();
  await reader.query('begin; select count(*) from contacts');
  const migrating = second.run(postgres.url, 'migrate');
  await sleep(4_000);
  await reader.query('commit');
  reader.release();
  const migrated = await migrating;
  report(
    `the new version's migrations, under load: ends with ${migrated.code} ${migrated.said}`,
    migrated.code === 0,
  );
  await sleep(1_000);

  const restarted = await start();
  report('a process of the old version that starts again serves', true);
  const fresh = [await start(second.root), await start(second.root)];
  for (const gateway of [...old, restarted]) {
    const code = await stop(gateway);
    report(`SIGTERM to a process of the old version: ends with ${code}`, code === 0);
  }
  await sleep(1_000);

  const refused = await third.run(postgres.url, 'migrate');
  const isNamed = /older version .*_incompatible/.test(refused.said);
  report(`a migration that it could not live with: ends with ${refused.code}`, refused.code === 1 && isNamed);
  process.stdout.write(`     ${refused.said}\n`);
  await sleep(1_000);
  await load.stop();
  const failed = load.entries.filter((entry) => isWrong(entry) || entry.status === 0 || entry.status === 503);
  const slowest = quantile(
    load.entries.map(({ ms }) => ms),
    1,
  );
  report(
    `${load.entries.length} requests, slowest ${slowest} ms: ${failed.length} failed ${textOf(failed)}`,
    failed.length === 0 && load.unsent === 0,
  );
  await reportLedger('upgrade', postgres.url, run, load.entries);

  const forced = await third.run(postgres.url, 'migrate', '--force');
  const after = startLoad({
    origin: () => fresh[0]?.origin ?? '',
    callers,
    perSecond: PER_SECOND,
    run: `${run}-forced`,
  });
  await sleep(2_000);
  await after.stop();
  const wrong = after.entries.filter(isWrong).length;
  report(
    `forced (${forced.code}): ${wrong} of ${after.entries.length} requests to the version before it failed`,
    forced.code === 0 && wrong > 0,
  );
  for (const { origin } of fresh) {
    const { status } = await fetch(`${origin}/readyz`);
    report(`its /readyz: ${status}`, status === 503);
  }
} finally {
  await balancer.stop();
  await Promise.all([...running].map((gateway) => gateway.end('SIGKILL')));
  await pool.end();
  await postgres.remove();
  await Promise.all([second.remove(), third.remove()]);
}

/** Starts a gateway, of our own version or of the one in a folder, and waits until requests go there. */
async function start(root?: string): Promise<Serving> {
  const env = { DATABASE_URL: postgres.url, SHUTDOWN_DELAY_MS: '1000', LOG_LEVEL: 'fatal' };
  const gateway = await serve(env, root);
  running.add(gateway);
  balancer.add(gateway.origin);
  await balancer.until(gateway.origin, true);
  return gateway;
}

async function stop(gateway: Serving): Promise<number | string> {
  const code = await gateway.end('SIGTERM');
  balancer.remove(gateway.origin);
  running.delete(gateway);
  return code;
}
