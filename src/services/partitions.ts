// Maintains time-partitioned tables: the database's function makes the partitions of the days ahead, drops those that are too old, and
// deletes old rows outside of them, one step per call. Only one process works at a time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../context.ts';
import { isBusy } from '../store/connections/failures.ts';
import {
  type KeepDays,
  PARTITIONED_TABLES,
  type PartitionedTable,
  type PartitionHealth,
  type PartitionStep,
  readPartitionHealth,
  type StepOptions,
  stepPartitions,
} from '../store/partitions/partitions.ts';

/** The changes to one table. */
export interface KeptPartitions {
  readonly made: readonly string[];
  readonly dropped: string | null;
  /** Whether there is more to do. */
  readonly hasMore: boolean;
}

interface Parts extends Pick<App, 'config'> {
  readonly store: Pick<App['store'], 'pool'>;
}

/** The maximum number of steps of one call for a table: more than the partitions of the days ahead. */
const MAX_STEPS = 30;
/** How often a step is attempted, and the pause in between, which lets other work continue. */
const TRIES = 5;
const PAUSE_MS = 500;

/** The configured number of days that rows are kept. */
export function keepDaysOf({ config }: Pick<App, 'config'>): KeepDays {
  const { webhooks, auditKeepDays, visitsKeepDays } = config;
  return { events: webhooks.keepDays, audit: auditKeepDays, visits: visitsKeepDays };
}

/** Creates the missing partitions of every table. @throws PostgreSQL's error when the database user lacks the right */
export async function makePartitions(app: Parts): Promise<string[]> {
  const made: string[] = [];
  for (const table of PARTITIONED_TABLES) made.push(...(await keepPartitions(app, table)).made);
  return made;
}

/**
 * Creates the missing partitions of one table. With `oldAt` it also drops its oldest partition if that is too old, and deletes a bounded
 * number of old rows outside the partitions. Each call drops at most one partition, so that a wrong clock does little harm.
 * @param oldAt the process's time
 */
export async function keepPartitions(
  app: Parts,
  table: PartitionedTable,
  options: StepOptions = {},
): Promise<KeptPartitions> {
  const made: string[] = [];
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const step = await tryStep(() => stepPartitions(app.store, table, keepDaysOf(app), options));
    if (step === null) return { made, dropped: null, hasMore: false };
    if (step.made !== null) made.push(step.made);
    if (!step.more) return { made, dropped: step.dropped, hasMore: false };
  }
  return { made, dropped: null, hasMore: true };
}

/** @returns null when no attempt could get its lock at once: another process works, or a transaction reads the table */
async function tryStep(step: () => Promise<PartitionStep>): Promise<PartitionStep | null> {
  for (let tries = 1; ; tries++)
    try {
      return await step();
    } catch (error) {
      if (!isBusy(error)) throw error;
      if (tries === TRIES) return null;
      await sleep(PAUSE_MS);
    }
}

/** The state of every time-partitioned table. @throws AppError `unavailable` when the database cannot be reached */
export async function partitionHealth({
  store,
}: Pick<App, 'store'>): Promise<(PartitionHealth & { readonly table: string })[]> {
  return Promise.all(
    PARTITIONED_TABLES.map(async (table) => ({
      table: table.name,
      ...(await readPartitionHealth(store, table)),
    })),
  );
}
