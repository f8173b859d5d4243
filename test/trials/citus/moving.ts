// Shards are moved from one worker to the other while requests go on: none fails, and what was answered is what the store holds.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { serve } from '../faults/gateway.ts';
import { outcomeOf } from '../faults/ledger.ts';
import { startLoad } from '../faults/load.ts';
import { createCallers } from '../faults/tenants.ts';
import { reportAnswers, reportLedger, textOf } from '../faults/verdict.ts';
import { report } from '../test-bed.ts';
import { moveWorkspace } from './shards.ts';

const CALLERS = 3;
const PER_SECOND = 12;

export async function tryMoving(url: string): Promise<void> {
  const callers = await createCallers(url, CALLERS);
  const gateway = await serve({ DATABASE_URL: url, LOG_LEVEL: 'error', JOBS: 'off' });
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    const run = `citus-${process.pid}`;
    const load = startLoad({ origin: () => gateway.origin, callers, perSecond: PER_SECOND, run });
    await sleep(4_000);
    for (const { workspaceId } of callers) {
      const begunAt = performance.now();
      const { isMoved, seconds, shard } = await moveWorkspace(pool, workspaceId);
      const endedAt = performance.now();
      await sleep(1_000);
      const meanwhile = load.entries.filter(({ sentAt, ms }) => sentAt + ms >= begunAt && sentAt <= endedAt);
      const longest = Math.max(0, ...meanwhile.map(({ ms }) => ms));
      report(
        `shard ${shard} of each table moved in ${seconds.toFixed(1)} s beside ${meanwhile.length} requests, the longest of which took ${longest.toFixed(0)} ms`,
        isMoved && meanwhile.length > 0,
      );
    }
    await sleep(3_000);
    await load.stop();
    const failed = load.entries.filter((entry) => outcomeOf(entry) !== 'made');
    reportAnswers('beside the moves', load.entries);
    report(`${failed.length} requests failed ${textOf(failed)}`, failed.length === 0 && load.unsent === 0);
    await reportLedger('the store afterwards', url, run, load.entries);
    for (const line of gateway.log.slice(0, 5)) report(`logged: ${line.slice(0, 500)}`, false);
  } finally {
    await gateway.end('SIGTERM');
    await pool.end();
  }
}
