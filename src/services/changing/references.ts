// Checks that a noun refers only to objects of its own workspace. A foreign key checks a single reference; lists of ids have no foreign
// keys, and foreign keys do not know which rows are hidden, so these are looked up.
import type { Context } from '../../context.ts';
import { type FieldError, invalidFields, noSuch } from '../../errors.ts';
import { typeOf } from '../../resources/description/field-types.ts';
import type { Fields } from '../../resources/description/fields.ts';
import type { NounTable } from '../../resources/nouns.ts';
import { findById, findByIds } from '../../store/reading/rows.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import type { Table } from '../../store/tables/table.ts';
import { tableNamed } from '../../store/tables/tables.ts';
import type { NameOf } from '../input/parse-fields.ts';

type Noun = Table<{ id: bigint }>;
type InWorkspace = { readonly workspaceId: bigint } | null;

/** The maximum number of ids that an error lists. */
const MAX_LISTED_IDS = 5;
/** The maximum number of members that are blamed. */
const MAX_ERRORS = 20;

/** The workspace of a row, or a workspace itself; null when there is no such row, or the caller does not own it. */
export async function workspaceOf(
  ctx: Context,
  name: NounTable,
  tenancy: Tenancy,
  id: bigint,
): Promise<bigint | null> {
  const table = tableNamed(name);
  const row = table && (await findById(ctx, table, tenancy, id));
  if (name === 'workspaces') return row?.id ?? null;
  return (row as unknown as InWorkspace)?.workspaceId ?? null;
}

/** Whether values of these fields can have references that `requireOwn` looks up. @param inItem whether they are the fields of items */
export function haveLookUps(fields: Fields, inItem = false): boolean {
  return Object.values(fields).some(({ items, refers, type }) => {
    if (items !== undefined) return haveLookUps(items, true);
    const table = refers && tableNamed(refers.table as NounTable);
    return table !== undefined && (inItem || needsLookUp(type, table));
  });
}

/**
 * Checks that the references which need a look-up are in the workspace.
 * @param find returns the workspace; called only if a look-up is needed. Null: there is none; another check reports that
 * @throws AppError `invalid` blaming each member that refers to something else
 */
export async function requireOwn(
  ctx: Context,
  tenancy: Tenancy,
  fields: Fields,
  given: Readonly<Record<string, unknown>>,
  nameOf: NameOf,
  find: () => Promise<bigint | null>,
): Promise<void> {
  const looked = referencesToCheck(fields, given, nameOf);
  if (looked.length === 0) return;
  const workspaceId = await find();
  if (workspaceId === null) return;
  const rowOf = new Map<string, InWorkspace>();
  for (const table of new Set(looked.map((one) => one.table))) {
    const ids = looked.flatMap((one) => (one.table === table ? one.ids : []));
    const rows = (await findByIds(ctx, table, tenancy, ids)) as unknown as InWorkspace[];
    for (const [index, id] of ids.entries()) rowOf.set(`${table.name} ${id}`, rows[index] ?? null);
  }
  const errors: FieldError[] = [];
  for (const { name, table, ids } of looked) {
    const missing = ids
      .filter((id) => rowOf.get(`${table.name} ${id}`)?.workspaceId !== workspaceId)
      .slice(0, MAX_LISTED_IDS);
    if (missing.length > 0) errors.push({ ...noSuch(table.title, missing), field: name });
  }
  if (errors.length > 0) throw invalidFields(errors.slice(0, MAX_ERRORS));
}

interface CheckedReference {
  readonly name: string;
  readonly table: Noun;
  readonly ids: readonly bigint[];
}

/**
 * The references that need a look-up, with their names. @param prefix the name of the item that has the fields. References of items are
 * always looked up: a violated constraint does not say which item is wrong.
 */
function referencesToCheck(
  fields: Fields,
  given: Readonly<Record<string, unknown>>,
  nameOf: NameOf,
  prefix = '',
): CheckedReference[] {
  return Object.entries(fields).flatMap(([property, field]) => {
    const name = prefix + nameOf(property, field);
    const { items } = field;
    if (items !== undefined)
      return ((given[property] ?? []) as Readonly<Record<string, unknown>>[]).flatMap((item, index) =>
        referencesToCheck(items, item, nameOf, `${name}[${index}].`),
      );
    const ids = [given[property] ?? []].flat() as bigint[];
    const table = field.refers && tableNamed(field.refers.table as NounTable);
    return table !== undefined && ids.length > 0 && (prefix !== '' || needsLookUp(field.type, table))
      ? [{ name, table, ids }]
      : [];
  });
}

function needsLookUp(type: Fields[string]['type'], table: Noun): boolean {
  return typeOf(type).isList === true || table.visible !== 'true';
}
