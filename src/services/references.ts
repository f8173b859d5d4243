// Checks that a noun refers only to objects of its own workspace. A foreign key checks a single reference; lists of ids have no foreign
// keys, and foreign keys do not know which rows are hidden, so these are looked up.
import type { Context } from '../context.ts';
import { type FieldError, invalidFields } from '../errors.ts';
import { typeOf } from '../resources/field-types.ts';
import type { NounTable } from '../resources/nouns.ts';
import type { Fields } from '../resources/resource.ts';
import { findById, findByIds } from '../store/reading/rows.ts';
import type { Tenancy } from '../store/sql/tenancy.ts';
import type { Table } from '../store/tables/table.ts';
import { tableNamed } from '../store/tables/tables.ts';
import type { NameOf } from './parse-fields.ts';

type Noun = Table<{ id: bigint }>;
type InWorkspace = { readonly workspaceId: bigint } | null;

/** The maximum number of ids that an error names. */
const MAX_NAMED = 5;

/** The workspace of a row; null when there is no such row. */
export async function workspaceOf(
  ctx: Context,
  name: NounTable,
  tenancy: Tenancy,
  id: bigint,
): Promise<bigint | null> {
  if (name === 'workspaces') return id;
  const table = tableNamed(name);
  const row = table && ((await findById(ctx, table, tenancy, id)) as unknown as InWorkspace);
  return row?.workspaceId ?? null;
}

/**
 * Checks that the references which need a look-up are in the workspace.
 * @param find returns the workspace; called only if a look-up is needed. Null: there is none, which another check reports
 * @throws AppError `invalid` blaming each member that names something else
 */
export async function requireOwn(
  ctx: Context,
  tenancy: Tenancy,
  fields: Fields,
  given: Readonly<Record<string, unknown>>,
  nameOf: NameOf,
  find: () => Promise<bigint | null>,
): Promise<void> {
  const looked = Object.entries(fields).flatMap(([property, field]) => {
    const ids = [given[property] ?? []].flat() as bigint[];
    const table = field.refers && tableNamed(field.refers.table as NounTable);
    return table !== undefined && ids.length > 0 && mustLook(field.type, table)
      ? [{ name: nameOf(property, field), table, ids }]
      : [];
  });
  if (looked.length === 0) return;
  const workspaceId = await find();
  if (workspaceId === null) return;
  const errors: FieldError[] = [];
  for (const { name, table, ids } of looked) {
    const rows = (await findByIds(ctx, table, tenancy, ids)) as unknown as InWorkspace[];
    const missing = ids.filter((_, index) => rows[index]?.workspaceId !== workspaceId).slice(0, MAX_NAMED);
    const message = `${name} names something that does not exist in the workspace: ${missing.join(', ')}.`;
    if (missing.length > 0) errors.push({ field: name, message });
  }
  if (errors.length > 0) throw invalidFields(errors);
}

function mustLook(type: Fields[string]['type'], table: Noun): boolean {
  return typeOf(type).isList === true || table.visible !== 'true';
}
