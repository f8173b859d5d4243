// Up to where lists may be read. Ids are drawn, and the times of changes taken, before their transactions commit: what comes after
// one that is still under way would be read first, and a walker who went on from there would never see it. Below a table's horizon
// everything is settled (DESIGN §14; the functions `draw_id`, `take_time` and `horizons` in the migrations).
//
// A process keeps the last horizon that it was told. It says something of one database as it was since then, so that it is forgotten
// when a connection is opened, which may lead to another database, or to one that has lost what was not committed.

import { AppError } from '../../errors.ts';
import { BlockRow, type RowBlock, textOf } from '../../rows/row-block.ts';
import { databaseUnavailable, toStoreError } from '../connections/failures.ts';
import type { Readers } from '../pipelining/readers.ts';
import { type PublicIdTable, TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Statement } from '../sql/statements.ts';

/** What is settled in one table. */
export interface TableHorizon {
  /** Every row whose id is not above it is settled. */
  readonly id: bigint;
  /** Every change whose time is not above it is settled, where the table is listed by time; milliseconds since 1970. */
  readonly time: number;
  /** The last id that was drawn. */
  readonly drawn: bigint;
}

/** What is settled in each table, for every snapshot that is taken after it was told. */
export type Horizon = Readonly<Record<PublicIdTable, TableHorizon>>;

/** A horizon that was told. */
export interface MarksAnswer {
  readonly tables: Horizon;
  /** It stands while `generation()` is this. */
  readonly generation: number;
  /** How many had been asked for before it. */
  readonly number: number;
}

export interface Horizons {
  /** The last one that was told, while it stands. */
  latest(): MarksAnswer | null;
  /** How often all that was told has been forgotten. */
  generation(): number;
  /** How many have been asked for. */
  asked(): number;
  /**
   * One before which at least so many were asked for. However many wait, one is asked for at a time.
   * @throws AppError `unavailable` when the database cannot be reached
   */
  after(asked: number): Promise<MarksAnswer>;
  /** What was told may say nothing of the database of the next read. */
  forget(): void;
}

export const TABLES_WITH_MARKS = Object.keys(TYPE_NUMBER) as PublicIdTable[];

/**
 * The keys of floors, as the migrations have them (`classid` in pg_locks): `FG`, and in the low 16 bits the number of the table's type; of
 * floors of times so much more.
 */
export const FLOOR_CLASS = { first: 0x4647_0000, last: 0x4647_ffff, ofTimes: 0x8000 } as const;

const COLUMNS = 'array_to_string(drawn, $3), array_to_string(ids, $3), array_to_string(times, $3)';
const FOUND = 'horizons($1::int[], $2::text[]::regclass[])';

/** One row: what `toHorizon` reads. Its parameters are `HORIZON_VALUES`. */
export const HORIZON: Statement = { name: 'horizons', text: `select ${COLUMNS} from ${FOUND}` };

/** The same with further columns, which are computed when the horizon has been. */
export function horizonsWith(columns: string): string {
  return `select ${COLUMNS}, ${columns} from ${FOUND}`;
}

export const HORIZON_VALUES: unknown[] = [
  TABLES_WITH_MARKS.map((table) => TYPE_NUMBER[table]),
  TABLES_WITH_MARKS.map((table) => `${table}_id_seq`),
  ' ',
];

/** @throws TypeError where it is not what the statement answers */
export function toHorizon([drawn, ids, times]: readonly (string | null)[]): Horizon {
  const [all, settled, moments] = [drawn, ids, times].map((list) => list?.split(' ') ?? []);
  const tables = TABLES_WITH_MARKS.map((table, index): [PublicIdTable, TableHorizon] => {
    const [last, id, time] = [all?.[index], settled?.[index], moments?.[index]];
    if (!last || !id || !time) throw new TypeError('The horizon is not whole');
    return [table, { drawn: BigInt(last), id: BigInt(id), time: Number(time) }];
  });
  return Object.fromEntries(tables) as Horizon;
}

/** A question for a horizon that was sent, and how many were asked before. */
interface Question {
  readonly number: number;
  readonly answer: Promise<MarksAnswer>;
}

/** How often one is asked for anew because connections were opened meanwhile. */
const MAX_TRIES = 5;

/** @param readers over which it is asked for */
export function createHorizons(readers: Pick<Readers, 'read'>): Horizons {
  let known: MarksAnswer | null = null;
  let generation = 0;
  let asked = 0;
  let underWay: Question | null = null;
  let next: Promise<MarksAnswer> | null = null;

  function forget(): void {
    generation += 1;
    known = null;
  }

  async function ask(number: number): Promise<MarksAnswer> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = generation;
      const tables = toHorizon(fieldsOf(await readers.read(HORIZON, HORIZON_VALUES)));
      // A number that was drawn stays so, but in another database.
      if (known !== null && isBehind(tables, known.tables)) forget();
      else if (generation === before) {
        known = { tables, generation, number };
        return known;
      }
    }
    throw databaseUnavailable();
  }

  function begin(): Promise<MarksAnswer> {
    const number = asked++;
    const answer = ask(number).finally(() => {
      underWay = null;
    });
    underWay = { number, answer };
    return answer;
  }

  function following({ answer }: Question): Promise<MarksAnswer> {
    const begun = () => {
      next = null;
      return begin();
    };
    return answer.then(begun, begun);
  }

  function askAfter(count: number): Promise<MarksAnswer> {
    if (known !== null && known.number >= count) return Promise.resolve(known);
    if (underWay !== null && underWay.number >= count) return underWay.answer;
    if (underWay !== null) next ??= following(underWay);
    return next ?? begin();
  }

  return {
    latest: () => known,
    generation: () => generation,
    asked: () => asked,
    after: (count) =>
      askAfter(count).catch((error: unknown) => {
        const known = toStoreError(error);
        throw known instanceof AppError ? known : databaseUnavailable(error);
      }),
    forget,
  };
}

function fieldsOf(rows: RowBlock): (string | null)[] {
  return rows.length === 1 ? [0, 1, 2].map((field) => textOf(new BlockRow(rows, 0), field)) : [];
}

function isBehind(one: Horizon, other: Horizon): boolean {
  return TABLES_WITH_MARKS.some((table) => one[table].drawn < other[table].drawn);
}
