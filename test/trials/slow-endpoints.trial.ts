// What endpoints of others that are slow, hang or are dead cost an endpoint that answers: the time in which its deliveries arrive, alone and beside
// nine of them, in turns. `npm run trial -- slow-endpoints [deliveries] [rounds]`; 4,000 and 7 by default.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../src/context.ts';
import { startDeliveryWorker } from '../../src/jobs/delivery/delivery-worker.ts';
import * as factories from '../support/factories.ts';
import { freePort } from '../support/free-port.ts';
import { createReceiver, type Receiver } from '../support/webhook-receiver.ts';
import { say } from './say.ts';
import { quantile, report, withTestBed } from './test-bed.ts';

const DELIVERIES = Number(process.argv[3] ?? 4_000);
const ROUNDS = Number(process.argv[4] ?? 7);
const GOOD_ENDPOINTS = 5;
const BAD_OF_EACH_KIND = 3;
const BACKLOG = 200;
const SLOW_MS = 2_000;
/** The bound of what they may cost. */
const MAX_COST = 0.05;
const TIMEOUT_MS = 120_000;

interface Endpoint {
  readonly id: bigint;
  readonly workspaceId: bigint;
}

await withTestBed(async ({ gateway }) => {
  const { app } = gateway({ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', SHUTDOWN_TIMEOUT_MS: '0' });
  const [good, slow, hanging] = [await createReceiver(), await createReceiver(), await createReceiver()];
  slow.answer = () => sleep(SLOW_MS, 200);
  hanging.answer = () => null;
  const dead = `http://127.0.0.1:${await freePort()}/`;
  const goodEndpoints = await endpointsAt(app, good.url, GOOD_ENDPOINTS);
  const badEndpoints = [];
  for (const url of [slow.url, hanging.url, dead])
    badEndpoints.push(...(await endpointsAt(app, url, BAD_OF_EACH_KIND)));
  const [alone, beside]: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const inTurn = [
        { times: alone, bad: [] },
        { times: beside, bad: badEndpoints },
      ];
      for (const { times, bad } of round % 2 === 0 ? inTurn : inTurn.toReversed()) {
        const ms = await deliverAll(app, good, goodEndpoints, bad);
        if (round > 0) times.push(ms);
      }
    }
  } finally {
    await Promise.all([good, slow, hanging].map((receiver: Receiver) => receiver.close()));
  }
  const [before, during] = [quantile(alone, 0.5), quantile(beside, 0.5)];
  const list = (times: readonly number[]) => times.map((ms) => Math.round(ms)).join(' ');
  say(`    ms alone: ${list(alone)}; beside: ${list(beside)}`);
  report(
    `${DELIVERIES} deliveries took ${before} ms alone, ${during} ms beside ${badEndpoints.length} that are slow, hang or are dead: ${((100 * (during - before)) / before).toFixed(1)} % more`,
    during <= before * (1 + MAX_COST),
  );
});

/** Endpoints, each of a team of its own. */
async function endpointsAt(app: App, url: string, count: number): Promise<Endpoint[]> {
  const made = [];
  for (let index = 0; index < count; index++) {
    const { id: workspaceId } = await factories.workspace(app);
    made.push(await factories.webhookEndpoint(app, { workspaceId, url }));
  }
  return made;
}

/** Has a worker deliver to the good ones, once those beside them are under way. @returns milliseconds until all have arrived */
async function deliverAll(
  app: App,
  to: Receiver,
  good: readonly Endpoint[],
  bad: readonly Endpoint[],
): Promise<number> {
  await app.store.pool.query('truncate events, webhook_deliveries, webhook_attempts, webhook_leases');
  await app.store.pool.query('update webhook_endpoints set failing_since = null');
  for (const endpoint of bad) await fill(app, endpoint, BACKLOG);
  const worker = startDeliveryWorker(app);
  try {
    await sleep(2_000);
    to.received.length = 0;
    const started = performance.now();
    for (const endpoint of good) await fill(app, endpoint, DELIVERIES / good.length);
    app.store.deliveries.notify(good.map(({ id }) => id));
    while (to.received.length < DELIVERIES) {
      if (performance.now() - started > TIMEOUT_MS) throw new Error(`${to.received.length} arrived`);
      await sleep(5);
    }
    return performance.now() - started;
  } finally {
    await worker.close();
  }
}

async function fill(app: App, { id, workspaceId }: Endpoint, count: number): Promise<void> {
  await app.store.pool.query(
    `with made as (
      insert into events (workspace_id, event_type, subject_type, subject_id, data)
      select $1, 'contact.created', 'Contact', n, json_build_object('id', n, 'text', repeat('x', 800))
      from generate_series(1, $3::int) n returning id, event_type
    ) insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type)
      select $1, $2, id, event_type from made`,
    [workspaceId, id, count],
  );
}
