// What the primary says of itself, at short intervals: where its log is, and up to where lists are settled (horizons.ts). The locks
// that floors are do not get to a replica: there a horizon holds as soon as the position that was taken behind it has been replayed
// (DESIGN §14). The same marks measure how far a replica is behind: a mark that it has replayed is as old as the question for it.
import { setTimeout as sleep } from 'node:timers/promises';
import { BlockRow, textOf } from '../../rows/row-block.ts';
import { HORIZON_VALUES, type Horizon, horizonsWith, toHorizon } from '../high-water-marks/horizons.ts';
import type { Readers } from '../pipelining/readers.ts';
import type { PublicIdTable } from '../sql/public-ids.ts';
import type { Statement } from '../sql/statements.ts';
import { beforeHeader, POSITION, type Position, parseToken } from './positions.ts';

/** A moment of the primary. */
export interface Mark {
  /** Behind everything that `tables` is about. */
  readonly position: Position;
  readonly database: string;
  /** A position from before `tables` was found out: what was committed by then is settled in it, unless something older is under way. */
  readonly before: bigint;
  readonly tables: Horizon;
  /** When it was asked for, by this process's clock (`performance.now()`). */
  readonly at: number;
}

export interface Marks {
  latest(): Mark | null;
  /** The newest one that a replica has replayed which is there. */
  newest(replayed: bigint): Mark | null;
  /** Whether no id of a table has been drawn for an interval: rows that are above all ids that were drawn were given theirs by hand. */
  isQuiet(table: PublicIdTable): boolean;
  /** The database of the next question may be another one, or have lost what was not committed. */
  forget(): void;
  start(): void;
  close(): void;
}

/** Between two questions. */
const INTERVAL_MS = 100;

/** The columns of a horizon, and two more. */
const MARK: Statement = {
  name: 'replicas.mark',
  text: horizonsWith(`${POSITION}, current_database()::text`),
};
const FIELDS = 5;

/**
 * @param primary over which the primary is asked
 * @param keptMs how old a mark may be that is still of use
 */
export function createMarks(primary: Pick<Readers, 'read'>, keptMs: number): Marks {
  let marks: Mark[] = [];
  /** The last answer since everything was forgotten. The first one only says where the log is. */
  let last: Position | null = null;
  let generation = 0;
  let isStarted = false;

  function forget(): void {
    generation += 1;
    marks = [];
    last = null;
  }

  async function ask(): Promise<void> {
    const at = performance.now();
    const asked = generation;
    const rows = await primary.read(MARK, HORIZON_VALUES);
    if (generation !== asked) return;
    const fields = Array.from({ length: FIELDS }, (_, field) => textOf(new BlockRow(rows, 0), field));
    const told = parseToken(fields[3] ?? '');
    if (told === null) throw new TypeError('The primary does not say where its log is');
    const position = { ...told, log: beforeHeader(told.log) };
    const isSame =
      last?.system === told.system && last.timeline === told.timeline && last.log <= position.log;
    if (!isSame) forget();
    else {
      marks.push({
        position,
        database: fields[4] ?? '',
        before: last?.log ?? 0n,
        tables: toHorizon(fields),
        at,
      });
      marks = marks.filter((mark) => at - mark.at <= keptMs);
    }
    last = told;
  }

  async function watch(): Promise<void> {
    while (isStarted) {
      await ask().catch(forget);
      await sleep(INTERVAL_MS, undefined, { ref: false });
    }
  }

  return {
    latest: () => marks.at(-1) ?? null,
    newest: (replayed) => marks.findLast(({ position }) => position.log <= replayed) ?? null,
    isQuiet(table) {
      const [one, other] = marks.slice(-2);
      return other !== undefined && one?.tables[table].drawn === other.tables[table].drawn;
    },
    forget,
    start() {
      if (isStarted) return;
      isStarted = true;
      void watch();
    },
    close() {
      isStarted = false;
    },
  };
}
