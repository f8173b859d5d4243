// Reading only the columns that will be asked for: each choice of them has statements and a maker of rows of its own. Clients
// choose, so that only so many are kept; a team that asks for ever new ones drops its own.
import { type Column, type Columns, type RowMaker, rowMaker } from '../rows/columns.ts';
import { SharedCache } from '../shared-cache.ts';
import { type Statement, statement } from './statements.ts';

/** What columns are chosen from: a table, or the part of one. The type parameter is the row of all columns. */
export interface Source<Row> {
  readonly name: string;
  readonly columns: Columns;
  /** For the compiler alone: there is no such property. */
  readonly row?: Row;
  /** What rows have besides, from elsewhere, when all is read. */
  readonly besides?: readonly string[];
}

/** A choice of columns, and what makes rows of them. */
export interface Projected<Row> {
  readonly columns: Columns;
  readonly make: RowMaker<Row>;
  /** The statement that is called `name`, over these columns; its text is built when it is first asked for. */
  statement(name: string, build: () => string): Statement;
}

/** How many choices of a part of the columns are kept, of all sources and teams. */
const MAX_PROJECTIONS = 400;

const partial = new SharedCache<Projected<unknown>>({ max: MAX_PROJECTIONS });
/** One a source. */
const whole = new Map<string, Projected<unknown>>();
let made = 0;

/**
 * @param wanted properties of the row; null chooses all. The id always is among them, and stands first.
 * @param owner the team for which they are read
 */
export function project<Row extends { id: bigint }>(
  source: Source<Row>,
  projection: readonly string[] | null = null,
  owner = 0n,
): Projected<Row> {
  const { name, besides = [] } = source;
  if (projection === null) return wholeOf(source);
  const all = Object.keys(source.columns);
  const chosen = all.filter((property) => property === 'id' || projection.includes(property));
  if (chosen.length === all.length + besides.length) return wholeOf(source);
  const key = `${name} ${chosen.join(' ')}`;
  let projected = partial.get(key, owner);
  if (projected === undefined) {
    projected = partOf(source, chosen);
    partial.add(key, owner, projected);
  }
  return projected as Projected<Row>;
}

function wholeOf<Row>(source: Source<Row>): Projected<Row> {
  const projected = whole.get(source.name) ?? {
    columns: source.columns,
    make: rowMaker(source.columns),
    statement,
  };
  whole.set(source.name, projected);
  return projected as Projected<Row>;
}

function partOf<Row>(source: Source<Row>, chosen: readonly string[]): Projected<Row> {
  const { besides = [] } = source;
  const columns: Columns = Object.fromEntries(
    Object.entries<Column>(source.columns).filter(([property]) => chosen.includes(property)),
  );
  const absent = [...Object.keys(source.columns), ...besides].filter(
    (property) => !chosen.includes(property),
  );
  // PostgreSQL cuts names of statements at 63 characters: a choice is its number, which no other ever has.
  const suffix = `.c${++made}`;
  const statements = new Map<string, Statement>();
  return {
    columns,
    make: rowMaker<Row>(columns, { absent }),
    statement(name, build) {
      const found = statements.get(name) ?? { name: `${name}${suffix}`, text: build(), isProjection: true };
      statements.set(name, found);
      return found;
    },
  };
}
