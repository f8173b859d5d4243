// Webhooks while gateways, workers and PostgreSQL are killed: four gateways make changes, three workers deliver them to fifty receivers,
// good, slow, failing at random, dead, and hanging half-way. `npm run trial -- delivery [changes] [kills]`; 100,000 and 60 by default.
// Every event reaches every receiver that takes it, at least once; nothing is delivered that did not happen.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import * as factories from '../support/factories.ts';
import { type Fleet, startFleet } from './delivery/fleet.ts';
import { KINDS, type Receivers, startReceivers } from './delivery/receivers.ts';
import { say } from './say.ts';
import { quantile, report, withTestBed } from './test-bed.ts';

const CHANGES = Number(process.argv[3] ?? 100_000);
const KILLS = Number(process.argv[4] ?? 60);
const CLIENTS = 16;
/** How long the last deliveries may take after the last change. */
const MAX_DRAIN_MS = 10 * 60_000;
const PROGRESS_MS = 15_000;

await withTestBed(async ({ url, tenants: [{ authorization, teamId }], gateway }) => {
  const { app } = gateway();
  const receivers = await startReceivers();
  const fleet = await startFleet(url, { gateways: 4, workers: 3 });
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  pool.on('error', () => {});
  try {
    const workspaceIds = await subscribe(fleet, receivers, authorization, async (index) => {
      const { id } = await factories.workspace(app, { teamId, subdomain: `delivery-${index}` });
      return id;
    });
    const made = { acknowledged: 0, refused: 0 };
    const started = performance.now();
    const killing = killAtRandom(fleet, url, () => made.acknowledged / CHANGES);
    const timer = setInterval(
      () => say(`    ${made.acknowledged} changes, ${receivers.total()} arrived`),
      PROGRESS_MS,
    );
    await makeChanges(fleet, authorization, workspaceIds, made);
    const changeSeconds = (performance.now() - started) / 1_000;
    const kills = await killing;
    say(
      `${made.acknowledged} changes in ${Math.round(changeSeconds)} s, ${made.refused} refused, ${kills} kills`,
    );
    await drained(pool, workspaceIds);
    clearInterval(timer);
    say(`delivered after ${Math.round((performance.now() - started) / 1_000)} s`);
    await judge(pool, receivers, workspaceIds, made);
  } finally {
    await pool.end();
    await fleet.stop();
    receivers.close();
  }
});

/** A workspace with one endpoint for each receiver. @returns their ids, in the order of the receivers */
async function subscribe(
  fleet: Fleet,
  receivers: Receivers,
  authorization: string,
  workspace: (index: number) => Promise<bigint>,
): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (const [index, receiver] of receivers.all.entries()) {
    const id = await workspace(index);
    const response = await fetch(
      `${fleet.origin(index)}/api/v2/workspaces/${id}/webhooks/outgoing/endpoints`,
      {
        method: 'POST',
        headers: { Authorization: authorization, 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: receiver.kind, url: receiver.url, event_type_ids: ['contact.created'] }),
      },
    );
    const endpoint = (await response.json()) as { webhook_secret: string };
    if (response.status !== 201) throw new Error(JSON.stringify(endpoint));
    receiver.secret = endpoint.webhook_secret;
    ids.push(id);
  }
  return ids;
}

/** Clients create contacts, each until it is answered: a retry has the same idempotency key. One in a hundred is refused. */
async function makeChanges(
  fleet: Fleet,
  authorization: string,
  workspaceIds: readonly bigint[],
  made: { acknowledged: number; refused: number },
): Promise<void> {
  let next = 0;
  const client = async () => {
    for (let number = next++; number < CHANGES; number = next++) {
      const workspaceId = workspaceIds[number % workspaceIds.length];
      // The address that the workspace has had since its first contact.
      const isTaken = number % 100 === 99 && number > workspaceIds.length * 2;
      const address = isTaken ? `person-${number % workspaceIds.length}` : `person-${number}`;
      for (let attempt = 0; ; attempt++) {
        const status = await fetch(
          `${fleet.origin(number + attempt)}/api/v2/workspaces/${workspaceId}/contacts`,
          {
            method: 'POST',
            headers: {
              ...{ Authorization: authorization, 'Content-Type': 'application/json' },
              'Idempotency-Key': `change-${number}`,
            },
            body: JSON.stringify({ email_address: `${address}@example.com` }),
            signal: AbortSignal.timeout(10_000),
          },
        ).then(
          async (response) => {
            await response.arrayBuffer();
            return response.status;
          },
          () => 0,
        );
        if (status === 201) made.acknowledged++;
        else if (status === 422) made.refused++;
        else {
          await sleep(Math.random() * 200);
          continue;
        }
        break;
      }
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

/** Kills a gateway, a worker or a server process of PostgreSQL's at random moments. @param done the share of the changes made */
async function killAtRandom(fleet: Fleet, url: string, done: () => number): Promise<number> {
  let kills = 0;
  while (done() < 1 && kills < KILLS) {
    if (done() < (kills + Math.random()) / KILLS) {
      await sleep(20);
      continue;
    }
    // The workers are what is on trial.
    const victim = kills % 6 === 5 ? 'postgres' : kills % 2 === 0 ? 'worker' : 'gateway';
    if (victim === 'postgres') await fleet.killServerProcess(url);
    else await fleet.kill(victim);
    kills++;
  }
  return kills;
}

/** Waits until nothing is due but what has failed and waits for its next attempt. */
async function drained(pool: pg.Pool, workspaceIds: readonly bigint[]): Promise<void> {
  const taking = workspaceIds.filter((_, index) => KINDS[index % KINDS.length]?.takesAll);
  const until = performance.now() + MAX_DRAIN_MS;
  while (performance.now() < until) {
    // While PostgreSQL recovers from its kill there is no answer.
    const left = await pool
      .query<{ left: number }>(
        "select count(*)::int as left from webhook_deliveries where status = 'pending' and workspace_id = any($1)",
        [taking],
      )
      .then(
        ({ rows }) => rows[0]?.left,
        () => undefined,
      );
    if (left === 0) return;
    await sleep(500);
  }
  report('everything was delivered in time', false);
}

async function judge(
  pool: pg.Pool,
  receivers: Receivers,
  workspaceIds: readonly bigint[],
  made: { acknowledged: number },
): Promise<void> {
  const events = new Map<string, Set<string>>();
  const { rows } = await pool.query<{ workspace_id: string; uuid: string }>(
    "select workspace_id, uuid from events where event_type = 'contact.created'",
  );
  for (const { workspace_id, uuid } of rows)
    events.set(workspace_id, (events.get(workspace_id) ?? new Set()).add(uuid));
  report(`${rows.length} events of ${made.acknowledged} changes`, rows.length === made.acknowledged);
  for (const kind of new Set(KINDS)) {
    const ofKind = receivers.all.flatMap((receiver, index) =>
      receiver.kind === kind.name
        ? [{ receiver, expected: events.get(String(workspaceIds[index])) ?? new Set() }]
        : [],
    );
    const sum = (count: (one: (typeof ofKind)[number]) => number) =>
      ofKind.reduce((total, one) => total + count(one), 0);
    const expected = sum((one) => one.expected.size);
    const arrived = sum(({ receiver }) => receiver.taken.size);
    const missing = sum(
      (one) => [...one.expected].filter((id) => !one.receiver.taken.has(id as string)).length,
    );
    const strange = sum(
      ({ receiver, expected: known }) => [...receiver.seen.keys()].filter((id) => !known.has(id)).length,
    );
    const again = sum(({ receiver }) =>
      [...receiver.taken.values()].reduce((total, times) => total + times - 1, 0),
    );
    const share = ((100 * again) / Math.max(1, arrived)).toFixed(3);
    report(
      `${kind.name.padEnd(8)} ${ofKind.length} receivers: ${arrived} of ${expected} arrived, ${again} of them again (${share} %), ${strange} never happened`,
      strange === 0 && (!kind.takesAll || (missing === 0 && (KILLS > 0 || again < arrived / 100))),
    );
  }
  const { rows: lost } = await pool.query<{ lost: number; failed: number }>(
    `select count(*) filter (where d.id is null)::int as lost, count(*) filter (where d.status = 'failed')::int as failed
      from events e left join webhook_deliveries d on d.workspace_id = e.workspace_id and d.event_id = e.id
      where e.event_type = 'contact.created'`,
  );
  report(
    `no event is without its delivery, none was given up: ${JSON.stringify(lost[0])}`,
    lost[0]?.lost === 0,
  );
  report(`${receivers.wrong} deliveries were signed wrongly`, receivers.wrong === 0);
  const latencies = receivers.latencies();
  say(
    `    from commit to arrival at good receivers: p50 ${quantile(latencies, 0.5)} ms, p99 ${quantile(latencies, 0.99)} ms`,
  );
}
