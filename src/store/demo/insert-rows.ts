// Inserts the demo's rows, whatever table they are of, and finds the rows again by their keys.
import { drawIds } from '../changing/ids.ts';
import type { Executor } from '../connections/executor.ts';
import { type PublicIdTable, TYPE_NUMBER, toPublicId } from '../sql/public-ids.ts';
import { type Fixture, keyOf, type PlacedRow, type Reference, toReference, toTime } from './fixture.ts';
import { sortTables } from './sort-tables.ts';

type Columns = Readonly<Record<string, unknown>>;

/** By the table: makes columns of a row that stand in no file, such as secrets, from those that do. */
export type Completions = Readonly<Record<string, (row: Columns) => Columns | Promise<Columns>>>;

/** The rows that were inserted. */
export interface InsertedRows {
  /** All ids of a table, in their order. */
  idsOf(table: string): readonly bigint[];
  /** @param workspace its key @throws Error when no row has the key, or several have it */
  idOf(table: string, key: string, workspace: string | null): bigint;
}

/**
 * Inserts all rows of the fixture.
 * @param start the time that times of the fixture are relative to
 * @throws Error naming a reference to no row, or to several; the database's error
 */
export async function insertRows(
  steps: Executor,
  fixture: Fixture,
  start: Date,
  completions: Completions,
): Promise<InsertedRows> {
  const ids = new Ids();
  const later: LaterReference[] = [];
  const nullable = await findColumns(steps, [...fixture.keys()]);
  const canBeEmpty = (table: string, column: string) => nullable.get(nameOf(table, column)) === true;
  for (const table of sortTables(fixture, canBeEmpty)) {
    const rows = fixture.get(table) ?? [];
    ids.add(table, rows, isPublicIdTable(table) ? await drawIds(steps, table, rows.length) : []);
    const all: Columns[] = [];
    for (const [index, placed] of rows.entries()) {
      const place = ids.placeOf(table, index, placed);
      const { now, afterwards } = split(placed, ids);
      later.push(...afterwards.map((reference) => ({ ...reference, table, place })));
      const given: Columns = { ...place, ...resolve(now, { ids, workspace: placed.workspace, start }) };
      const made = { ...given, ...(await completions[table]?.(given)) };
      const isTimed = nullable.has(nameOf(table, 'updated_at'));
      all.push(isTimed ? { updated_at: given['created_at'], ...made } : made);
    }
    await insertInto(steps, table, all);
  }
  for (const reference of later) await setReference(steps, ids, reference);
  return ids;
}

/** Where a row is: the ids of its workspace and its own, as far as it has them. */
interface Place {
  readonly workspace_id?: number;
  readonly id?: number;
}

class Ids implements InsertedRows {
  readonly #ofTables = new Map<string, readonly bigint[]>();
  /** null: several rows have the key. */
  readonly #byKey = new Map<string, bigint | null>();

  /** Notes the ids of a table's rows; none for a table whose rows have no drawn ids. */
  add(table: string, rows: readonly PlacedRow[], ids: readonly bigint[]): void {
    this.#ofTables.set(table, ids);
    for (const [index, id] of ids.entries()) {
      const { workspace, row } = rows[index] as PlacedRow;
      const key = keyOf(row);
      if (key === null) continue;
      const name = nameOf(table, workspace, key);
      this.#byKey.set(name, this.#byKey.has(name) ? null : id);
    }
  }

  has(table: string): boolean {
    return this.#ofTables.has(table);
  }

  idsOf(table: string): readonly bigint[] {
    return this.#ofTables.get(table) ?? [];
  }

  idOf(table: string, key: string, workspace: string | null): bigint {
    const [id] = [workspace, null]
      .map((place) => this.#byKey.get(nameOf(table, place, key)))
      .filter((one) => one !== undefined);
    const row = `"${key}" in ${table}.json`;
    if (id === undefined) throw new Error(`Demo data: there is no row ${row}. Correct the reference to it.`);
    if (id === null)
      throw new Error(`Demo data: there are several rows ${row}. Give the one you mean a $key.`);
    return id;
  }

  placeOf(table: string, index: number, { workspace }: PlacedRow): Place {
    const id = this.idsOf(table)[index];
    return {
      ...(workspace !== null && { workspace_id: Number(this.idOf('workspaces', workspace, null)) }),
      ...(id !== undefined && { id: Number(id) }),
    };
  }
}

const nameOf = (...parts: readonly (string | null)[]) => JSON.stringify(parts);

const isPublicIdTable = (table: string): table is PublicIdTable => Object.hasOwn(TYPE_NUMBER, table);

/** A reference to a row that is inserted after the one with the reference. */
interface LaterReference {
  readonly table: string;
  readonly place: Place;
  readonly workspace: string | null;
  readonly column: string;
  readonly reference: Reference;
}

/** Splits a row into what is inserted now and the references that are set when all rows are there. */
function split({ workspace, row: { $key: _, ...row } }: PlacedRow, ids: Ids) {
  const now: Record<string, unknown> = {};
  const afterwards: Omit<LaterReference, 'table' | 'place'>[] = [];
  for (const [column, value] of Object.entries(row)) {
    const reference = toReference(value);
    if (reference === null || ids.has(reference.table)) now[column] = value;
    else afterwards.push({ workspace, column, reference });
  }
  return { now, afterwards };
}

interface Scope {
  readonly ids: Ids;
  readonly workspace: string | null;
  readonly start: Date;
}

/** The value with ids for references and ISO times for relative ones, at any depth. Ids are JSON numbers: the demo's are small. */
function resolve<T>(value: T, scope: Scope): T;
function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((item) => resolve(item, scope));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, resolve(held, scope)]));
  if (typeof value !== 'string') return value;
  const reference = toReference(value);
  if (reference === null) return toTime(value, scope.start)?.toISOString() ?? value;
  const { table, key, isPublic } = reference;
  const id = scope.ids.idOf(table, key, scope.workspace);
  return isPublic ? toPublicId(table as PublicIdTable, id) : Number(id);
}

/** Inserts rows of one table. A column that only some of them have is null in the others. */
async function insertInto(steps: Executor, table: string, rows: readonly Columns[]): Promise<void> {
  if (rows.length === 0) return;
  const given = rows.flatMap((row) => Object.keys(row).filter((column) => row[column] !== undefined));
  const columns = [...new Set(given)].map((column) => `"${column}"`).join(', ');
  await steps.$executeRawUnsafe(
    `insert into "${table}" (${columns}) select ${columns} from json_populate_recordset(null::"${table}", $1::json)`,
    JSON.stringify(rows),
  );
}

async function setReference(
  steps: Executor,
  ids: Ids,
  { table, place, workspace, column, reference }: LaterReference,
): Promise<void> {
  await steps.$executeRawUnsafe(
    `update "${table}" set "${column}" = $3::bigint where workspace_id = $1::bigint and id = $2::bigint`,
    ...[place.workspace_id, place.id, ids.idOf(reference.table, reference.key, workspace)],
  );
}

/** Finds the columns of tables, by `nameOf` both names, and whether each may be null. */
async function findColumns(steps: Executor, tables: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await steps.$queryRawUnsafe<{ table: string; column: string; nullable: boolean }[]>(
    `select t.name as table, a.attname::text as column, not a.attnotnull as nullable
      from unnest($1::text[]) t (name) join pg_attribute a on a.attrelid = t.name::regclass
      where a.attnum > 0 and not a.attisdropped`,
    tables,
  );
  return new Map(rows.map(({ table, column, nullable }) => [nameOf(table, column), nullable]));
}
