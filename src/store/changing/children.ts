// Writes the children that a client sends with their parent, in the parent's transaction and under its lock, with the statements of their
// own noun. One statement inserts all new children.

import { parentKeyOf } from '../../resources/description/ancestors.ts';
import { isOrdered } from '../../resources/description/common-fields.ts';
import { childLists, type Resource } from '../../resources/description/resource.ts';
import type { Executor } from '../connections/executor.ts';
import { tableNamed } from '../tables/tables.ts';
import { changeRow, removeRow } from './change-row.ts';
import { insertRows } from './insert-rows.ts';
import { type ChangeRecord, isNotified, outcomeOf, type RowAction, timeOf } from './records.ts';
import { type ChangeRules, type ChildRules, writableColumns } from './rules.ts';
import { findContactOf, findSnapshotsById } from './snapshots.ts';
import { typeOfColumn } from './statements.ts';

/** The children's own rules do not apply. */
const NO_RULES = {};

/** The values of a row's columns. */
export interface ColumnValues {
  readonly columns: Readonly<Record<string, unknown>>;
  /** The same as JSON, for PostgreSQL. */
  readonly json: string;
}

/** What a client does with one child. `index` is its position in the client's list. */
export type ChildChange = { readonly index: number } & (
  | { readonly verb: 'create'; readonly given: ColumnValues }
  | { readonly verb: 'update'; readonly id: bigint; readonly given: ColumnValues }
  | { readonly verb: 'remove'; readonly id: bigint }
);

/** Children by the property that lists them. */
export type ChildChanges = Readonly<Record<string, readonly ChildChange[]>>;

/** A list of children was refused: it refers to a row that is not a child of the parent, or the parent would have too many. */
export class ChildRefused extends Error {
  readonly property: string;
  /** null: the parent would have too many. */
  readonly index: number | null;

  constructor(property: string, index: number | null) {
    super(`${property} is refused`);
    this.property = property;
    this.index = index;
  }
}

/**
 * Adds the rules that follow from a noun's place: which children are written with it, how many of it a parent can have, and, if it is shown
 * in its parent or ordered, that the parent is locked and changes with it.
 */
export function withPlace(noun: Resource, rules: ChangeRules): ChangeRules {
  const { parent, most } = noun;
  const isShown =
    parent !== undefined && childLists(parent).some(([, { children }]) => children?.type === noun.type);
  const children = childLists(noun).flatMap(([property, field]): ChildRules[] => {
    const table = tableNamed(field.children?.table as Parameters<typeof tableNamed>[0]);
    return field.writable === undefined || table === undefined ? [] : [{ property, table }];
  });
  return {
    ...rules,
    ...((isShown || isOrdered(noun)) && { touchesParent: true }),
    ...(most !== undefined && !rules.most && { most: { perParent: most, property: parentKeyOf(noun) } }),
    children: [...children, ...(rules.children ?? [])],
  };
}

/** A parent whose row is locked, or was created in this transaction. */
interface Parent {
  readonly workspaceId: bigint;
  readonly id: bigint;
  readonly isNew: boolean;
}

interface Sibling {
  readonly id: bigint;
  readonly position: number;
}

interface Change {
  readonly action: RowAction;
  readonly id: bigint;
  readonly before: string | null;
}

/**
 * Writes the children of all lists that the client sent.
 * @returns the changes, each with its events; empty if no child changed
 * @throws ChildRefused
 */
export async function writeChildren(
  tx: Executor,
  { children: lists = [] }: ChangeRules,
  parent: Parent,
  given: ChildChanges,
): Promise<ChangeRecord[]> {
  const records: ChangeRecord[] = [];
  for (const list of lists) records.push(...(await writeList(tx, list, parent, given[list.property] ?? [])));
  return records;
}

async function writeList(
  tx: Executor,
  { property, table }: ChildRules,
  parent: Parent,
  given: readonly ChildChange[],
): Promise<ChangeRecord[]> {
  if (given.length === 0) return [];
  const { name, resource } = table;
  const { workspaceId } = parent;
  const siblings = parent.isNew
    ? []
    : await tx.$queryRawUnsafe<Sibling[]>(
        `select c.id, ${isOrdered(resource) ? 'c.position' : '0'} as position from ${name} c
          where c.workspace_id = $1::bigint and c.${table.parent.column} = $2::bigint`,
        ...[workspaceId, parent.id],
      );
  const ids = new Set(siblings.map(({ id }) => id));
  const missing = given.find((child) => child.verb !== 'create' && !ids.has(child.id));
  if (missing !== undefined) throw new ChildRefused(property, missing.index);
  const added = given.filter((child) => child.verb === 'create');
  const removed = given.filter((child) => child.verb === 'remove');
  const { most = Number.POSITIVE_INFINITY } = resource;
  if (siblings.length - removed.length + added.length > most) throw new ChildRefused(property, null);
  const now = await timeOf(tx, table);
  const changed = await Promise.all(
    given.map((child) => (child.verb === 'create' ? null : changeChild(tx, table, workspaceId, now, child))),
  );
  const position = 1 + Math.max(-1, ...siblings.map((sibling) => sibling.position));
  const created = await insertChildren(tx, table, parent, { now, position, added });
  return recordsOf(tx, table, workspaceId, [...changed.filter((one) => one !== null), ...created]);
}

/** Changes or removes a child. @returns null if nothing changed */
async function changeChild(
  tx: Executor,
  table: ChildRules['table'],
  workspaceId: bigint,
  now: string,
  child: Exclude<ChildChange, { verb: 'create' }>,
): Promise<Change | null> {
  const { id } = child;
  const row = { workspaceId, id, now };
  if (child.verb === 'remove')
    return { action: 'deleted', id, before: await removeRow(tx, table, NO_RULES, row) };
  const { before, isChanged } = await changeRow(tx, table, NO_RULES, { ...row, given: child.given.json });
  return isChanged ? { action: 'updated', id, before } : null;
}

interface NewChildren {
  readonly now: string;
  /** The position of the first new child, if the children are ordered. */
  readonly position: number;
  readonly added: readonly Extract<ChildChange, { verb: 'create' }>[];
}

async function insertChildren(
  tx: Executor,
  { name, parent: { column }, resource }: ChildRules['table'],
  parent: Parent,
  { now, position, added }: NewChildren,
): Promise<Change[]> {
  const places = isOrdered(resource) ? ['position'] : [];
  const given = [
    ...new Set([
      ...writableColumns(resource, 'creation'),
      // Columns that only a service sets.
      ...added.flatMap((child) => Object.keys(child.given.columns)),
    ]),
  ].filter((column) => !places.includes(column));
  const times = resource.sorts === undefined ? [] : ['created_at', 'updated_at'];
  const rows = await insertRows<{ id: bigint }>(tx, {
    insert: `insert into ${name} (${['workspace_id', column, ...places, ...times, ...given].join(', ')})`,
    workspaceId: parent.workspaceId,
    types: [
      ...['bigint', ...places.map(() => 'int'), ...times.map(() => 'timestamptz')],
      ...given.map((one) => typeOfColumn(resource, one)),
    ],
    rows: added.map((child, index) => [
      ...[
        parent.id,
        ...places.map((place) => child.given.columns[place] ?? position + index),
        ...times.map(() => now),
      ],
      ...given.map((one) => child.given.columns[one] ?? null),
    ]),
    returning: 'id',
  });
  return rows.map(({ id }) => ({ action: 'created', id, before: null }));
}

async function recordsOf(
  tx: Executor,
  table: ChildRules['table'],
  workspaceId: bigint,
  changes: readonly Change[],
): Promise<ChangeRecord[]> {
  const { resource } = table;
  const present = changes.filter(({ action }) => action !== 'deleted').map(({ id }) => id);
  const [some] = present;
  const [shown, contactId] = await Promise.all([
    findSnapshotsById(tx, table, workspaceId, present),
    some === undefined ? null : findContactOf(tx, table, workspaceId, some),
  ]);
  return changes.map(({ action, id, before }) => {
    const now = shown.get(id) ?? null;
    const data = now ?? before ?? '{}';
    return {
      ...{ workspaceId, resource, action, before, after: now, contactId, subjectId: id },
      outcome: outcomeOf(action),
      events: isNotified(resource, action) ? [{ resource, name: action, subjectId: id, data }] : [],
    };
  });
}
