// The primary is killed under load, the replica that has received most is promoted, and HAProxy is told: the poolers, the listening
// connections and the other replica follow it there. Commits wait for one of the replicas, so that nothing is lost that was acknowledged.
import { setTimeout as sleep } from 'node:timers/promises';
import { isWrong, judgeLedger, outcomeOf } from '../faults/ledger.ts';
import { say } from '../say.ts';
import { report } from '../test-bed.ts';
import { type RunningLoad, type Scene, startLoadOn, textOf, untilRead } from './scene.ts';
import { type Node, REPLICAS, type Topology } from './topology.ts';

const MAX_MS = 5_000;
/** What it takes to be sure that the primary is gone. */
const NOTICED_MS = 500;

/** It leaves a cluster of two: nothing else is tried after it. */
export async function tryPromotion(scene: Scene): Promise<void> {
  const { topology, seconds } = scene;
  const { primary, haproxy } = topology;
  await primary.pool.query(`alter system set synchronous_standby_names = 'ANY 1 (${REPLICAS.join()})'`);
  await primary.pool.query('select pg_reload_conf()');
  // The next primary is to wait for the other one too.
  for (const { pool } of topology.replicas) {
    await pool.query(`alter system set synchronous_standby_names = 'ANY 1 (${REPLICAS.join()})'`);
    await pool.query('select pg_reload_conf()');
  }
  const load = startLoadOn(scene, 'promotion');
  await sleep(1_000 * seconds);
  const killedAt = performance.now();
  await primary.server.kill();
  await sleep(NOTICED_MS);
  const [next, other] = await byReceived(topology);
  await next.server.promote();
  await haproxy.lead('primary/primary', next.server.port);
  const promotedAt = performance.now();
  await sleep(1_000 * seconds + MAX_MS);
  const ms = await untilRead(other);
  report(
    `${other.server.name} follows ${next.server.name}, and is read from ${ms === null ? 'no more' : 'again'}`,
    ms !== null,
  );
  await load.stop();
  await judge(load, { killedAt, promotedAt }, next);
}

async function judge(
  { entries, run }: RunningLoad,
  { killedAt, promotedAt }: { readonly killedAt: number; readonly promotedAt: number },
  { pool, server }: Node,
): Promise<void> {
  const changes = entries.filter(({ action }) => action !== null);
  const refused = changes.filter((entry) => outcomeOf(entry) !== 'made');
  const answered = changes
    .filter((entry) => outcomeOf(entry) === 'made')
    .map(({ sentAt, ms }) => sentAt + ms)
    .toSorted((a, b) => a - b);
  const pauses = answered.map((at, index) => at - (answered[index - 1] ?? at));
  const pause = Math.max(...pauses.filter((_, index) => (answered[index] ?? 0) > killedAt));
  const last = Math.max(killedAt, ...refused.map(({ sentAt }) => sentAt)) - killedAt;
  const late = refused.filter(({ sentAt }) => sentAt - promotedAt > MAX_MS);
  for (const entry of late.slice(-3)) say(`    ${textOf(entry)}`);
  const after = answered.filter((at) => at > promotedAt).length;
  report(
    `the primary was killed, ${server.name} promoted after ${Math.round(promotedAt - killedAt)} ms: no write was made for ${Math.round(pause)} ms; ${refused.length} were refused, the last one sent ${Math.round(last)} ms after the kill`,
    late.length === 0 && pause < MAX_MS && after > 20,
  );
  const { findings, acknowledged, unknown, unknownButMade } = await judgeLedger(pool, run, entries);
  const { lost, ...others } = findings;
  report(
    `${acknowledged} changes acknowledged, ${lost.length} lost; ${unknown} unknown, of which ${unknownButMade} were made; ${Object.values(others).flat().length} other findings ${Object.values(others).flat().slice(0, 2).join('; ')}`,
    acknowledged > 0 && Object.values(findings).every(({ length }) => length === 0),
  );
  const reads = entries.filter(({ action }) => action === null);
  const failed = reads.filter((entry) => outcomeOf(entry) !== 'made');
  const wrong = entries.filter((entry) => isWrong(entry) || entry.status === 0);
  report(
    `${reads.length} reads, ${failed.length} answered 503 meanwhile; ${wrong.length} wrong answers ${wrong.slice(0, 3).map(textOf).join('; ')}`,
    wrong.length === 0,
  );
}

/** The replicas, the one first that has received more of the primary's log. */
async function byReceived({ replicas }: Topology): Promise<[Node, Node]> {
  const [one, two] = replicas;
  const received = await Promise.all(
    replicas.map(async ({ pool }) => {
      const { rows } = await pool.query<{ bytes: string }>(
        "select pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::text as bytes",
      );
      return BigInt(rows[0]?.bytes ?? 0);
    }),
  );
  return (received[0] ?? 0n) >= (received[1] ?? 0n) ? [one, two] : [two, one];
}
