// The primary is killed under load and its replica promoted: nothing that was acknowledged is lost, and no gateway is started again.
// `npm run trial -- failover [requests a second]`, 20 by default. Commits wait for the replica (`synchronous_standby_names`); the same
// without that loses some. It needs Debian's `postgresql`.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serve } from './faults/gateway.ts';
import { isWrong, judgeLedger, outcomeOf } from './faults/ledger.ts';
import { startLoad } from './faults/load.ts';
import { startReplicated } from './faults/replicated.ts';
import { createCallers } from './faults/tenants.ts';
import { quantile, report } from './test-bed.ts';

const PER_SECOND = Number(process.argv[3] ?? 20);

for (const isSynchronous of [true, false]) await failOver(isSynchronous);

async function failOver(isSynchronous: boolean): Promise<void> {
  const database = await startReplicated({ isSynchronous });
  const gateways: Awaited<ReturnType<typeof serve>>[] = [];
  try {
    const callers = await createCallers(database.url, 2);
    for (let index = 0; index < 2; index++)
      gateways.push(await serve({ DATABASE_URL: database.url, LOG_LEVEL: 'fatal', JOBS: 'off' }));
    let turn = 0;
    const origin = () => gateways[turn++ % gateways.length]?.origin ?? '';
    const run = `failover-${process.pid}-${isSynchronous}`;
    const load = startLoad({ origin, callers, perSecond: PER_SECOND, run });
    await sleep(3_000);
    // What is on its way to the replica when the primary dies.
    await database.stopStreaming();
    await sleep(1_000);
    const killedAt = performance.now();
    await database.killPrimary();
    await sleep(1_000);
    await database.promote();
    const promotedAt = performance.now();
    await sleep(5_000);
    await load.stop();

    const { entries } = load;
    const made = (entry: (typeof entries)[number]) => entry.action !== null && outcomeOf(entry) === 'made';
    const again = entries
      .filter((entry) => made(entry) && entry.sentAt > killedAt)
      .map(({ sentAt, ms }) => sentAt + ms);
    const lastFailed = Math.max(
      0,
      ...entries.filter(({ status }) => status === 503).map(({ sentAt }) => sentAt),
    );
    const refusals = entries.filter((entry) => entry.status === 503);
    const pool = new pg.Pool({ connectionString: database.url });
    const verdict = await judgeLedger(pool, run, entries);
    await pool.end();
    const { lost, ...others } = verdict.findings;
    const name = isSynchronous ? 'commits wait for the replica' : 'they do not';
    report(
      `${name}: ${verdict.acknowledged} changes acknowledged, ${lost.length} lost; ${verdict.unknown} unknown, of which ${verdict.unknownButMade} were made`,
      isSynchronous ? lost.length === 0 : lost.length > 0,
    );
    const found = Object.values(others).flat();
    report(
      `   no half change, no other surprise ${found.slice(0, 3).join('; ')}`,
      found.length === 0 || !isSynchronous,
    );
    report(
      `   no writes for ${Math.round(Math.min(...again) - killedAt)} ms, ${Math.round(Math.min(...again) - promotedAt)} ms after the promotion; the last refusal was sent ${Math.round(lastFailed - promotedAt)} ms after it`,
      again.length > 0 && lastFailed - promotedAt < 2_000,
    );
    const slowest = quantile(
      refusals.map(({ ms }) => ms),
      1,
    );
    // What was lost is not found.
    const wrong = isSynchronous ? entries.filter((entry) => isWrong(entry) || entry.status === 0) : [];
    report(
      `   ${refusals.length} answers of 503, the slowest after ${slowest} ms; ${wrong.length} other failures`,
      wrong.length === 0,
    );
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.end('SIGTERM')));
    await database.remove();
  }
}
