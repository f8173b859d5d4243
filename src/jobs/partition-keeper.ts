// Creates and drops the partitions of time-partitioned tables, in every gateway and worker. One process works at a time.
import type { App } from '../context.ts';
import { keepPartitions, partitionHealth } from '../services/partitions.ts';
import { PARTITIONED_TABLES } from '../store/partitions/partitions.ts';
import { type Background, repeat } from './repeat.ts';

const INTERVAL_MS = 10 * 60_000;
/** The pause while there is more to delete, so that the default partition does not grow faster than it is emptied. */
const SOON_MS = 1_000;
/** If the system clock deviates this much from the process's own clock, it has jumped. Then nothing counts as old for `AFTER_JUMP_MS`. */
const JUMP_MS = 3_600_000;
const AFTER_JUMP_MS = 24 * 3_600_000;

/** Starts in the background. @param uptimeMs a monotonic clock */
export function startPartitionKeeper(app: App, { uptimeMs = () => performance.now() } = {}): Background {
  const { log } = app;
  const isSteady = watchClock(
    () => app.clock().getTime(),
    uptimeMs,
    () => log.error('the clock has jumped: no partition is dropped for a day'),
  );
  let health: Awaited<ReturnType<typeof partitionHealth>> = [];

  const keeping = repeat(log, 'keeping partitions', INTERVAL_MS, async () => {
    let hasMore = false;
    const refusals: unknown[] = [];
    const options = isSteady() ? { oldAt: app.clock() } : {};
    for (const table of PARTITIONED_TABLES)
      try {
        const kept = await keepPartitions(app, table, options);
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
  for (const { name } of PARTITIONED_TABLES)
    app.metrics.watch('partitions', name, () => {
      const found = health.find(({ table }) => table === name);
      if (found === undefined) return null;
      const aheadMs = Math.max(0, found.coveredMs - app.clock().getTime());
      return { aheadSeconds: aheadMs / 1000, hasStray: found.strayMs !== null };
    });
  return keeping;
}

/** @returns a function that returns whether the clock has been consistent with the monotonic one for long enough */
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
