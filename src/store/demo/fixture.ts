// Reads the demo's data: a JSON file for each table, with the rows in the order of their ids. Visits and the latest changes are no rows: the
// hours of statistics depend on the time of the start, and records of changes on the descriptions of nouns. Both are made from a few numbers.
import { readdir, readFile } from 'node:fs/promises';
import { basename } from 'node:path';

const DATA = new URL('./data/', import.meta.url);
const ROWS = new URL('rows/', DATA);

/**
 * A row by its columns. A text `@table/key` is the id of another row, `#table/key` its public id, and `-3d 14:05` a time before the start; also
 * inside JSON. `$key` names the row where its name does not.
 */
export type FixtureRow = Readonly<Record<string, unknown>>;

/** A row of a file, and the key of the workspace that it is in; null where its table is not below a workspace. */
export interface PlacedRow {
  readonly workspace: string | null;
  readonly row: FixtureRow;
}

/** The rows of each table. */
export type Fixture = ReadonlyMap<string, readonly PlacedRow[]>;

/** What was changed lately in a workspace, with the key of its team. The endpoints were active until then. */
export interface HistoryData {
  /** How many of the youngest contacts were created so. */
  readonly contacts: number;
  /** What the youngest one was given afterwards, by column. */
  readonly given: Readonly<Record<string, string>>;
  /** A tag, and the colour that it got lately. */
  readonly recolored: { readonly tag: string; readonly color: string };
  /** What receivers answer, and what one of them answers to one type of event. */
  readonly answer: AnswerData;
  readonly refusal: AnswerData & { readonly endpoint: string; readonly eventType: string };
}

/** The answer of a webhook's receiver. */
export interface AnswerData {
  readonly code: number;
  readonly body: string;
}

/** Reads the rows of all tables. A file with a list has rows outside of workspaces, one with an object has those of each workspace. */
export async function readRows(): Promise<Fixture> {
  const files = (await readdir(ROWS)).filter((name) => name.endsWith('.json')).sort();
  const tables = files.map(async (name): Promise<[string, PlacedRow[]]> => {
    const data = await readJson<FixtureRow[] | Record<string, FixtureRow[]>>(new URL(name, ROWS));
    const groups = Array.isArray(data) ? [[null, data] as const] : Object.entries(data);
    const rows = groups.flatMap(([workspace, all]) => all.map((row) => ({ workspace, row })));
    return [basename(name, '.json'), rows];
  });
  return new Map(await Promise.all(tables));
}

/** Reads what was changed lately, by the workspace. */
export function readHistory(): Promise<Readonly<Record<string, HistoryData>>> {
  return readJson(new URL('history.json', DATA));
}

/** Reads how often pages were visited, by the workspace and the page's name. */
export function readVisits(): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>> {
  return readJson(new URL('visits.json', DATA));
}

async function readJson<T>(file: URL): Promise<T> {
  return JSON.parse(await readFile(file, 'utf8')) as T;
}

/** The key of a row in its table and workspace. */
export function keyOf({ $key, name, email_address: email, host }: FixtureRow): string | null {
  const key = $key ?? name ?? email ?? host;
  return typeof key === 'string' ? key : null;
}

/** A reference to a row: `@contacts/ada@example.com`. */
export interface Reference {
  readonly table: string;
  readonly key: string;
  /** Whether the public id is meant. */
  readonly isPublic: boolean;
}

/** @returns null for a value that is no reference */
export function toReference(value: unknown): Reference | null {
  if (typeof value !== 'string') return null;
  const [, sign, table = '', key = ''] = /^([@#])([a-z_]+)\/(.+)$/s.exec(value) ?? [];
  return sign === undefined ? null : { table, key, isPublic: sign === '#' };
}

/** All references of a row, those inside JSON too. */
export function referencesOf(row: unknown): Reference[] {
  const reference = toReference(row);
  if (reference !== null) return [reference];
  return typeof row === 'object' && row !== null ? Object.values(row).flatMap(referencesOf) : [];
}

const TIME = /^([+-])(\d+)d(?: (\d\d):(\d\d)(?::(\d\d(?:\.\d{3})?))?)?$/;
const MONTHS = /^\+(\d+) months?$/;

/**
 * The time that a text says in relation to the start: `-3d 14:05` is 3 days, 14 hours and 5 minutes before it, `+1 month` the same time a month
 * later.
 * @returns null for a text that is no time
 */
export function toTime(text: string, start: Date): Date | null {
  const [, months] = MONTHS.exec(text) ?? [];
  if (months !== undefined) return addMonths(start, Number(months));
  const [, sign, days, hours = 0, minutes = 0, seconds = 0] = TIME.exec(text) ?? [];
  if (sign === undefined) return null;
  const length =
    ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1_000;
  return new Date(start.getTime() + (sign === '-' ? -1 : 1) * Math.round(length));
}

/** As PostgreSQL adds months: a day that the month does not have is its last one. */
function addMonths(start: Date, months: number): Date {
  const time = new Date(start);
  time.setUTCMonth(time.getUTCMonth() + months);
  if (time.getUTCDate() !== start.getUTCDate()) time.setUTCDate(0);
  return time;
}
