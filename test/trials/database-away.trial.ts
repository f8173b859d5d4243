// The database is gone for 30 seconds under load: every request is answered 503 within 2 seconds, and all are served again within 2
// seconds of its return. `npm run trial -- database-away [seconds]`. Gone in four ways: its server is stopped, all its processes hang
// (SIGSTOP), the network swallows what is sent, the network refuses connections.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from './faults/gateway.ts';
import { outcomeOf } from './faults/ledger.ts';
import { startLoad } from './faults/load.ts';
import { startPostgres } from './faults/postgres.ts';
import { startProxy } from './faults/proxy.ts';
import { createCallers } from './faults/tenants.ts';
import { reportAnswers, reportLedger, untilServed } from './faults/verdict.ts';
import { startProbe } from './gateway-process.ts';
import { quantile, report } from './test-bed.ts';

const AWAY_MS = Number(process.argv[3] ?? 30) * 1_000;
const ONLY = process.argv[4];
const PER_SECOND = 50;
const MAX_ANSWER_MS = 2_000;
const MAX_RETURN_MS = 2_000;

const postgres = await startPostgres();
const proxy = await startProxy(postgres.url);
const gateway = await serve({ DATABASE_URL: proxy.url });
try {
  const callers = await createCallers(postgres.url, 3);
  const ways: Readonly<Record<string, { leave(): Promise<void>; come(): Promise<void> }>> = {
    stopped: { leave: () => postgres.stop('SIGINT'), come: () => postgres.start() },
    hanging: {
      leave: () => postgres.signalAll('SIGSTOP'),
      come: () => postgres.signalAll('SIGCONT'),
    },
    swallowed: { leave: () => proxy.set('swallow'), come: () => proxy.set('pass') },
    refused: { leave: () => proxy.set('refuse'), come: () => proxy.set('pass') },
  };
  for (const [way, { leave, come }] of Object.entries(ways)) {
    if (ONLY !== undefined && ONLY !== way) continue;
    const run = `away-${way}-${process.pid}`;
    const load = startLoad({ origin: () => gateway.origin, callers, perSecond: PER_SECOND, run });
    await untilServed(load.entries, performance.now(), 30_000);
    await sleep(1_000);
    // How long the gateway takes for what asks nobody: that is the machine's doing.
    const alive = await startProbe(`${gateway.origin}/healthz`);
    const leftAt = performance.now();
    await leave();
    await sleep(AWAY_MS);
    await come();
    const cameAt = performance.now();
    const servedAfter = await untilServed(load.entries, cameAt, 60_000);
    await sleep(3_000);
    await load.stop();
    const machine = Math.round(await alive.worst());
    await alive.stop();
    const during = load.entries.filter(({ sentAt, ms }) => sentAt < cameAt && sentAt + ms > leftAt);
    const answered = during.filter(({ sentAt, ms }) => sentAt + ms <= cameAt);
    const longest = quantile(
      during.map(({ ms }) => ms),
      1,
    );
    const refused = answered.filter(({ status }) => status === 503).length;
    const ended = answered.filter(({ status }) => status === 0).length;
    report(
      `${way} for ${AWAY_MS / 1_000} s: ${refused} requests were answered 503, ${ended} not at all; the longest took ${longest} ms, and of /healthz ${machine} ms`,
      refused > 0 && ended === 0 && longest <= MAX_ANSWER_MS,
    );
    report(
      `${way}: reads and writes of both faces were served ${servedAfter === null ? 'never' : `${Math.round(servedAfter)} ms`} after its return`,
      servedAfter !== null && servedAfter <= MAX_RETURN_MS,
    );
    const late = load.entries.filter(
      (entry) => entry.sentAt > cameAt + MAX_RETURN_MS && outcomeOf(entry) !== 'made',
    );
    report(
      `${way}: ${late.length} requests failed later than ${MAX_RETURN_MS} ms after its return`,
      late.length === 0,
    );
    reportAnswers(way, load.entries);
    await reportLedger(way, postgres.url, run, load.entries);
  }
} finally {
  await proxy.set('pass');
  await gateway.end('SIGTERM');
  await proxy.close();
  await postgres.remove();
}
