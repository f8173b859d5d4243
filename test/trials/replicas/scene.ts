// What every phase of the trial has, and what it does again and again: a load through HAProxy that must not fail, and waiting for a
// server to be read from.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Entry, judgeLedger, outcomeOf } from '../faults/ledger.ts';
import { type Caller, type Load, startLoad } from '../faults/load.ts';
import { say } from '../say.ts';
import { quantile, report } from '../test-bed.ts';
import { readsOf } from './counts.ts';
import type { Node, Topology } from './topology.ts';

export interface Scene {
  readonly topology: Topology;
  /** Each of a team of its own. */
  readonly callers: readonly Caller[];
  /** How long each phase goes on with what it does. */
  readonly seconds: number;
}

const PER_SECOND = 30;
let runs = 0;

export interface RunningLoad extends Load {
  /** What its request ids begin with. */
  readonly run: string;
}

/** As many writes as reads, over both faces: what a caller has written it also reads, mostly at another gateway. */
export function startLoadOn({ topology, callers }: Scene, name: string): RunningLoad {
  const run = `${name}-${process.pid}-${runs++}`;
  const load = startLoad({ origin: () => topology.origin, callers, perSecond: PER_SECOND, run });
  return Object.assign(load, { run });
}

/** Stops a load. No request of it may have failed, and nothing that was acknowledged may be missing. */
export async function endWithoutFailure(
  { topology }: Scene,
  load: RunningLoad,
  what: string,
  from = 0,
): Promise<void> {
  await load.stop();
  const entries = load.entries.filter(({ sentAt }) => sentAt >= from);
  const failed = entries.filter((entry) => outcomeOf(entry) !== 'made');
  for (const entry of failed.slice(0, 5)) say(`    ${textOf(entry)}`);
  const { lost, twice, ...others } = (await judgeLedger(topology.primary.pool, load.run, load.entries))
    .findings;
  const found = [lost, twice, ...Object.values(others)].flat();
  for (const one of found.slice(0, 5)) say(`    ${one}`);
  const times = entries.map(({ ms }) => ms);
  report(
    `${what}: ${entries.length} requests, ${failed.length} failed, longest ${quantile(times, 1)} ms (p50 ${quantile(times, 0.5)} ms); ${lost.length} changes lost, ${found.length - lost.length} other findings`,
    failed.length === 0 && found.length === 0 && entries.length > 20,
  );
}

export function textOf({ requestId, face, action, status, text }: Entry): string {
  return `${requestId} ${face} ${action ?? 'read'}: ${status} ${text.slice(0, 200)}`;
}

/** Waits until a server has answered so many more reads. @returns milliseconds; null where it takes too long */
export async function untilRead(node: Node, reads = 10, timeoutMs = 30_000): Promise<number | null> {
  const started = performance.now();
  const before = await readsOf(node);
  while (performance.now() - started < timeoutMs) {
    await sleep(50);
    if ((await readsOf(node)) >= before + reads) return performance.now() - started;
  }
  return null;
}

/** Until both replicas have replayed what the primary has written. */
export async function untilReplayed({ primary, replicas }: Topology): Promise<void> {
  const { rows } = await primary.pool.query<{ lsn: string }>(
    'select pg_current_wal_insert_lsn()::text as lsn',
  );
  for (const { pool } of replicas)
    for (;;) {
      const replayed = await pool.query<{ is: boolean }>(
        'select pg_last_wal_replay_lsn() >= $1::pg_lsn as is',
        [rows[0]?.lsn],
      );
      if (replayed.rows[0]?.is) break;
      await sleep(20);
    }
}
