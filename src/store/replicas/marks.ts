// Reads marks from the primary at short intervals: its position in the log (WAL), and the high-water marks of its lists (high-water-marks.ts).
// Replicas do not see the advisory locks that announce ids. On a replica a high-water mark holds once the replica has replayed the position
// that was read after it. The marks also measure how far a replica lags: a replayed mark is as old as its request.
import { setTimeout as sleep } from 'node:timers/promises';
import { batched } from '../../concurrency/batched.ts';
import { BlockRow, textOf } from '../../rows/row-block.ts';
import { MARKS_VALUES, marksWith, type TableMarks, toMarks } from '../high-water-marks/high-water-marks.ts';
import type { Readers } from '../pipelining/readers.ts';
import type { PublicIdTable } from '../sql/public-ids.ts';
import type { Statement } from '../sql/statements.ts';
import { beforeHeader, POSITION, type Position, parseToken } from './positions.ts';

/** The state of the primary at one moment. */
export interface Mark {
  /** Read after `tables`: a replica that has replayed it has everything up to the high-water marks. */
  readonly position: Position;
  readonly database: string;
  /** A position read before `tables`. What was committed by then is settled in `tables`, unless an older transaction was open. */
  readonly before: bigint;
  readonly tables: TableMarks;
  /** When it was requested, by this process's clock (`performance.now()`), and when `before` was. */
  readonly at: number;
  readonly beforeAt: number;
}

export interface Marks {
  /** The position of the primary's log, as a token. However many callers wait, one request is sent at a time. */
  position(): Promise<string>;
  latest(): Mark | null;
  /** The newest mark that a replica has replayed, or null. */
  newest(replayed: bigint): Mark | null;
  /** Whether no id of a table was assigned for one interval. Rows above all assigned ids then were inserted with explicit ids. */
  isQuiet(table: PublicIdTable): boolean;
  /** Discards all marks: the next answer may come from another database, or from one that has lost uncommitted work. */
  forget(): void;
  start(): void;
  close(): void;
}

/** The time between two requests. */
const INTERVAL_MS = 100;

const CURRENT_POSITION: Statement = {
  name: 'replicas.position',
  text: `select ${POSITION} where $1::int is not null`,
};

/** The columns of the high-water marks, the position, and the database. */
const MARK: Statement = {
  name: 'replicas.mark',
  text: marksWith(`${POSITION}, current_database()::text`),
};
const FIELDS = 5;

/**
 * @param primary the connections to the primary
 * @param keptMs how old a mark may be before it is useless
 */
export function createMarks(primary: Pick<Readers, 'read'>, keptMs: number): Marks {
  let marks: Mark[] = [];
  /** The last answer since marks were discarded. The first answer only gives the position of the log. */
  let last: (Position & { readonly at: number }) | null = null;
  let generation = 0;
  let isStarted = false;

  function forget(): void {
    generation += 1;
    marks = [];
    last = null;
  }

  async function readMark(): Promise<void> {
    const at = performance.now();
    const generationBefore = generation;
    const rows = await primary.read(MARK, MARKS_VALUES);
    if (generation !== generationBefore) return;
    const fields = Array.from({ length: FIELDS }, (_, field) => textOf(new BlockRow(rows, 0), field));
    const reported = parseToken(fields[3] ?? '');
    if (reported === null) throw new TypeError('The primary does not say where its log is');
    const position = { ...reported, log: beforeHeader(reported.log) };
    const isSame =
      last?.system === reported.system && last.timeline === reported.timeline && last.log <= position.log;
    if (!isSame) forget();
    else {
      marks.push({
        position,
        database: fields[4] ?? '',
        before: last?.log ?? 0n,
        beforeAt: last?.at ?? 0,
        tables: toMarks(fields),
        at,
      });
      marks = marks.filter((mark) => at - mark.at <= keptMs);
    }
    last = { ...reported, at };
  }

  const position = batched(async (askers: readonly undefined[]) => {
    const token = textOf(new BlockRow(await primary.read(CURRENT_POSITION, [1]), 0), 0);
    if (token === null) throw new TypeError('The primary does not say where its log is');
    return askers.map(() => token);
  }, Number.POSITIVE_INFINITY);

  async function watch(): Promise<void> {
    while (isStarted) {
      await readMark().catch(forget);
      await sleep(INTERVAL_MS, undefined, { ref: false });
    }
  }

  return {
    position: () => position(undefined),
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
