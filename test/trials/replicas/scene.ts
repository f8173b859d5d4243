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
  /** The same with keys that only read: nothing but their own requests keeps them from the replicas. */
  readonly readers: readonly Caller[];
  /** How long each phase goes on with what it does. */
  readonly seconds: number;
}

/** Of each of two loads. */
const PER_SECOND = 20;
const WARM_UP_MS = 3_000;
let runs = 0;

export interface RunningLoad extends Load {
  /** What its request ids begin with. */
  readonly run: string;
}

/**
 * As many writes as reads, over both faces: what a caller has written it also reads, mostly at another gateway. Beside it pages for
 * keys that only read.
 */
export function startLoadOn({ topology, callers, readers }: Scene, name: string): RunningLoad {
  const run = `${name}-${process.pid}-${runs++}`;
  const common = { origin: () => topology.origin, perSecond: PER_SECOND };
  const load = startLoad({ ...common, callers, run });
  const mix = ['rest list', 'graphql list'] as const;
  const pages = startLoad({ ...common, callers: readers, run: `${run}-pages`, mix });
  return {
    run,
    get entries() {
      return [...load.entries, ...pages.entries];
    },
    get unsent() {
      return load.unsent + pages.unsent;
    },
    async stop() {
      await Promise.all([load.stop(), pages.stop()]);
    },
  };
}

/** What a process does for the first time takes longer. */
export async function warmUp(scene: Scene): Promise<void> {
  const load = startLoadOn(scene, 'warm-up');
  await sleep(WARM_UP_MS);
  await load.stop();
}

/** Stops a load. No request of it may have failed, and nothing that was acknowledged may be missing. */
export async function endWithoutFailure({ topology }: Scene, load: RunningLoad, what: string): Promise<void> {
  await load.stop();
  const { entries, run, unsent } = load;
  const failed = entries.filter((entry) => outcomeOf(entry) !== 'made');
  for (const entry of failed.slice(0, 5)) say(`    ${textOf(entry)}`);
  const { lost, ...others } = (await judgeLedger(topology.primary.pool, run, entries)).findings;
  const found = Object.values(others).flat();
  for (const one of [...lost, ...found].slice(0, 5)) say(`    ${one}`);
  const times = entries.map(({ ms }) => ms);
  report(
    `${what}: ${entries.length} requests, ${failed.length} failed, longest ${quantile(times, 1)} ms (p50 ${quantile(times, 0.5)} ms); ${lost.length} changes lost, ${found.length} other findings`,
    failed.length + lost.length + found.length + unsent === 0 && entries.length > 20,
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
