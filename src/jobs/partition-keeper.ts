// Keeps the partitions of tables that grow without end, in every gateway and every worker: of several at once one works.
import type { App } from '../context.ts';
import { keepPartitions, type PartitionHealth, partitionHealth } from '../services/partitions.ts';
import { AGING_TABLES } from '../store/partitions/tables.ts';
import { repeat } from './repeat.ts';

const INTERVAL_MS = 10 * 60_000;
/** Rows beside the partitions must not become more than are deleted. */
const SOON_MS = 1_000;
/** A clock that moves so much against the process's own has jumped: until so long afterwards nothing counts as old. */
const JUMP_MS = 3_600_000;
const AFTER_JUMP_MS = 24 * 3_600_000;

export interface PartitionKeeper {
  /** Resolves when what is under way has ended. */
  close(): Promise<void>;
}

/** Starts it, in the background. @param uptimeMs a clock that nobody sets */
export function startPartitionKeeper(app: App, { uptimeMs = () => performance.now() } = {}): PartitionKeeper {
  const { log } = app;
  const isSteady = watchClock(
    () => app.clock().getTime(),
    uptimeMs,
    () => log.error('the clock has jumped: no partition is dropped for a day'),
  );
  let health: readonly PartitionHealth[] = [];

  const keeping = repeat(log, 'keeping partitions', INTERVAL_MS, async () => {
    let hasMore = false;
    const refusals: unknown[] = [];
    const drops = isSteady();
    for (const table of AGING_TABLES)
      try {
        const kept = await keepPartitions(app, table, { drops });
        hasMore ||= kept.hasMore;
        if (kept.made.length > 0) log.info({ partitions: kept.made }, 'partitions made');
        if (kept.dropped !== null)
          log.info({ partition: kept.dropped }, 'a partition that is too old was dropped');
      } catch (error) {
        refusals.push(error);
      }
    health = await partitionHealth(app).catch(() => []);
    if (refusals.length > 0) throw refusals[0];
    return hasMore ? SOON_MS : undefined;
  });
  app.metrics.watchPartitions(() =>
    health.map(({ table, coveredMs, strayMs }) => ({
      table,
      aheadSeconds: Math.max(0, coveredMs - app.clock().getTime()) / 1000,
      hasStray: strayMs !== null,
    })),
  );
  return { close: () => keeping.stop() };
}

/** @returns whether a clock has gone with the other one for as long as it takes to notice a mistake */
export function watchClock(timeMs: () => number, uptimeMs: () => number, onJump: () => void): () => boolean {
  let startedMs = timeMs() - uptimeMs();
  let jumpedAt = Number.NEGATIVE_INFINITY;
  return () => {
    const apartMs = timeMs() - uptimeMs() - startedMs;
    if (Math.abs(apartMs) > JUMP_MS) {
      jumpedAt = uptimeMs();
      onJump();
    }
    startedMs += apartMs;
    return uptimeMs() - jumpedAt >= AFTER_JUMP_MS;
  };
}
