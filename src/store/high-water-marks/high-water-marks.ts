// High-water marks: the limits up to which lists may be read. Ids and change times are assigned before their transactions commit. Without a
// mark, a client could read newer rows first, page on from there, and never see an older row that commits later. At or below a table's
// high-water mark every row is settled: it is committed, or it never will be (see the functions `draw_id`, `take_time` and `horizons` in
// the migrations).
//
// A process keeps the last marks that it read. They are valid for one database only, so they are forgotten whenever a connection is opened:
// it may lead to another database, or to one that has lost uncommitted work.

import { AppError } from '../../errors.ts';
import { BlockRow, type RowBlock, textOf } from '../../rows/row-block.ts';
import { databaseUnavailable, toStoreError } from '../connections/failures.ts';
import type { Readers } from '../pipelining/readers.ts';
import { type PublicIdTable, TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Statement } from '../sql/statements.ts';

/** The high-water mark of one table. */
export interface TableMark {
  /** Every row with this id or a lower one is settled. */
  readonly id: bigint;
  /** For tables listed by time: every change at this time or earlier is settled. Milliseconds since 1970. */
  readonly time: number;
  /** The last id that the sequence has assigned. */
  readonly drawn: bigint;
}

/** The high-water marks of all tables. They hold for every snapshot taken after they were read. */
export type TableMarks = Readonly<Record<PublicIdTable, TableMark>>;

/** High-water marks that were read from the database. */
export interface MarksAnswer {
  readonly tables: TableMarks;
  /** The answer is valid while `generation()` has this value. */
  readonly generation: number;
  /** How many requests for marks were sent before this one. */
  readonly number: number;
}

export interface HighWaterMarks {
  /** The last answer, while it is valid; null if there is none. */
  latest(): MarksAnswer | null;
  /** How many times all answers have been forgotten. */
  generation(): number;
  /** How many requests for marks have been sent. */
  asked(): number;
  /**
   * An answer whose request was sent after at least `asked` earlier ones. However many callers wait, one request is sent at a time.
   * @throws AppError `unavailable` when the database cannot be reached
   */
  after(requestCount: number): Promise<MarksAnswer>;
  /** Forgets the last answer: the next read may reach another database. */
  forget(): void;
}

export const TABLES_WITH_MARKS = Object.keys(TYPE_NUMBER) as PublicIdTable[];

/**
 * The keys of the advisory locks that announce ids and times, as in the migrations (`classid` in pg_locks): `FG`, then in the low 16 bits
 * the number of the table's type. Keys for times are higher by `ofTimes`.
 */
export const ANNOUNCEMENT_LOCKS = { first: 0x4647_0000, last: 0x4647_ffff, ofTimes: 0x8000 } as const;

const COLUMNS = 'array_to_string(drawn, $3), array_to_string(ids, $3), array_to_string(times, $3)';
const FOUND = 'horizons($1::int[], $2::text[]::regclass[])';

/** Selects the one row that `toMarks` reads. Its parameters are `MARKS_VALUES`. */
export const MARKS: Statement = { name: 'high_water_marks', text: `select ${COLUMNS} from ${FOUND}` };

/** The same statement with further columns, which are computed after the marks. */
export function marksWith(columns: string): string {
  return `select ${COLUMNS}, ${columns} from ${FOUND}`;
}

export const MARKS_VALUES: unknown[] = [
  TABLES_WITH_MARKS.map((table) => TYPE_NUMBER[table]),
  TABLES_WITH_MARKS.map((table) => `${table}_id_seq`),
  ' ',
];

/** @throws TypeError unless the fields are an answer to that statement */
export function toMarks([drawn, ids, times]: readonly (string | null)[]): TableMarks {
  const [all, settled, moments] = [drawn, ids, times].map((list) => list?.split(' ') ?? []);
  const tables = TABLES_WITH_MARKS.map((table, index): [PublicIdTable, TableMark] => {
    const [last, id, time] = [all?.[index], settled?.[index], moments?.[index]];
    if (!last || !id || !time) throw new TypeError('Incomplete high-water marks');
    return [table, { drawn: BigInt(last), id: BigInt(id), time: Number(time) }];
  });
  return Object.fromEntries(tables) as TableMarks;
}

/** A request for marks that is in progress, and how many were sent before it. */
interface PendingRead {
  readonly number: number;
  readonly answer: Promise<MarksAnswer>;
}

/** How often a request is repeated because connections were opened meanwhile. */
const MAX_TRIES = 5;

/** @param readers the connections over which marks are requested */
export function createHighWaterMarks(readers: Pick<Readers, 'read'>): HighWaterMarks {
  let known: MarksAnswer | null = null;
  let generation = 0;
  let asked = 0;
  let pending: PendingRead | null = null;

  function forget(): void {
    generation += 1;
    known = null;
  }

  async function request(number: number): Promise<MarksAnswer> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = generation;
      const tables = toMarks(fieldsOf(await readers.read(MARKS, MARKS_VALUES)));
      // A sequence never goes back, so a lower value means another database.
      if (known !== null && isBehind(tables, known.tables)) forget();
      else if (generation === before) {
        known = { tables, generation, number };
        return known;
      }
    }
    throw databaseUnavailable();
  }

  function startRequest(): PendingRead {
    const number = asked++;
    const answer = request(number).finally(() => {
      pending = null;
    });
    return { number, answer };
  }

  async function requestAfter(count: number): Promise<MarksAnswer> {
    if (known !== null && known.number >= count) return known;
    // If the current request was sent too early, waits for its end. All waiting callers then share the next request.
    if (pending !== null && pending.number < count) await pending.answer.catch(() => {});
    pending ??= startRequest();
    return pending.answer;
  }

  return {
    latest: () => known,
    generation: () => generation,
    asked: () => asked,
    after: (count) =>
      requestAfter(count).catch((error: unknown) => {
        const known = toStoreError(error);
        throw known instanceof AppError ? known : databaseUnavailable(error);
      }),
    forget,
  };
}

function fieldsOf(rows: RowBlock): (string | null)[] {
  return rows.length === 1 ? [0, 1, 2].map((field) => textOf(new BlockRow(rows, 0), field)) : [];
}

function isBehind(one: TableMarks, other: TableMarks): boolean {
  return TABLES_WITH_MARKS.some((table) => one[table].drawn < other[table].drawn);
}
