// Reading only the columns that will be asked for: each choice of them is a statement, and a maker of rows.
import { type Column, type Columns, type RowMaker, rowMaker } from '../columns.ts';

/** What columns are chosen from: a table, or the part of one. The type parameter is the row of all columns. */
export interface Source<Row> {
  readonly name: string;
  readonly columns: Readonly<Record<keyof Row & string, Column>>;
  /** What rows have besides, from elsewhere, when all is read. */
  readonly besides?: readonly string[];
}

/** A choice of columns, and what makes rows of them. */
export interface Choice<Row> {
  /** Tells statements with different columns apart. */
  readonly key: string;
  readonly columns: Columns;
  readonly make: RowMaker<Row>;
}

const choices = new Map<string, Choice<unknown>>();

/** Each choice is a statement in every connection: beyond so many, all columns are read. */
const MAX_CHOICES = 200;

/** @param wanted properties of the row; null chooses all. The id always is among them, and stands first. */
export function choose<Row extends { id: bigint }>(
  source: Source<Row>,
  wanted: readonly string[] | null = null,
): Choice<Row> {
  const all = Object.keys(source.columns);
  const chosen = all.filter((property) => wanted === null || property === 'id' || wanted.includes(property));
  const { besides = [] } = source;
  const partial = wanted !== null && chosen.length < all.length + besides.length;
  const name = `${source.name}${partial ? ` ${chosen.join(' ')}` : ''}`;
  const known = choices.get(name);
  if (known !== undefined) return known as Choice<Row>;
  if (partial && choices.size >= MAX_CHOICES) return choose(source);
  const columns: Columns = Object.fromEntries(
    Object.entries<Column>(source.columns).filter(([property]) => chosen.includes(property)),
  );
  const absent = partial ? [...all, ...besides].filter((property) => !chosen.includes(property)) : [];
  const choice = {
    // PostgreSQL cuts names of statements at 63 characters: the key is one's number.
    key: partial ? `.c${choices.size}` : '',
    columns,
    make: rowMaker<Row>(columns, { absent }),
  };
  choices.set(name, choice);
  return choice;
}
