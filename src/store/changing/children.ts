// Writes the children that a client gives with their parent, in the parent's transaction and under its lock. New ones are inserted together;
// changes and removals are few, and are made one by one with the statements that their noun has anyway.
import {
  childLists,
  expandableNames,
  isOrdered,
  parentKeyOf,
  type Resource,
} from '../../resources/resource.ts';
import { withoutMembers } from '../../rows/json-members.ts';
import type { NamedStatement } from '../sql/statements.ts';
import { valuesOf } from '../sql/statements.ts';
import type { Transaction } from '../store.ts';
import { tableNamed } from '../tables/tables.ts';
import { type DistributedStatements, distributedStatements } from './distributed/statements.ts';
import type { ChangeRecord } from './record-change.ts';
import { isTold, timeOf } from './records.ts';
import { type ChangeRules, type ChildRules, givenColumns } from './rules.ts';
import { findContactOf, findSnapshots } from './snapshots.ts';

/** What a client does with one child. The index is its place in the list that the client sent. */
export type GivenChild =
  | { readonly verb: 'create'; readonly index: number; readonly given: string }
  | { readonly verb: 'update'; readonly index: number; readonly id: bigint; readonly given: string }
  | { readonly verb: 'remove'; readonly index: number; readonly id: bigint };

/** By the property of the list. What is given of a child is JSON by column. */
export type GivenChildren = Readonly<Record<string, readonly GivenChild[]>>;

/** A list of children cannot be written: it names a row that the parent does not have, or the parent would have too many. */
export class ChildRefused extends Error {
  readonly property: string;
  /** null: there would be too many. */
  readonly index: number | null;

  constructor(property: string, index: number | null) {
    super(`${property} is refused`);
    this.property = property;
    this.index = index;
  }
}

/**
 * The rules of a noun's changes with those of its place: the children that are written with it, and, where it is shown in its parent or has
 * an order, that its parent is locked and changes with it.
 */
export function withPlace(noun: Resource, rules: ChangeRules): ChangeRules {
  const { parent, most } = noun;
  const isShown =
    parent !== undefined && childLists(parent).some(([, { children }]) => children?.type === noun.type);
  const children = childLists(noun).flatMap(([property, { children, writable }]): ChildRules[] => {
    const table = tableNamed(children?.table as Parameters<typeof tableNamed>[0]);
    return writable === undefined || table === undefined ? [] : [{ property, table }];
  });
  return {
    ...rules,
    ...((isShown || isOrdered(noun)) && { touchesParent: true }),
    ...(most !== undefined && !rules.most && { most: { perParent: most, property: parentKeyOf(noun) } }),
    ...(children.length > 0 && { children }),
  };
}

const statementsOf = new Map<string, DistributedStatements>();

/** The statements of the changes of one child. */
function childStatements({ table }: ChildRules): DistributedStatements {
  const made = statementsOf.get(table.name) ?? distributedStatements(table, {});
  statementsOf.set(table.name, made);
  return made;
}

/** A parent whose row is locked, or was created in this transaction. */
interface Parent {
  readonly workspaceId: bigint;
  readonly id: bigint;
  readonly isNew: boolean;
}

/**
 * Writes the children of one list.
 * @returns what changed, each with its events; empty where all children are as they were
 * @throws ChildRefused
 */
export async function writeChildren(
  tx: Transaction,
  child: ChildRules,
  parent: Parent,
  given: readonly GivenChild[],
): Promise<ChangeRecord[]> {
  const children = new Children(tx, child, parent);
  return given.length === 0 ? [] : children.write(given);
}

interface Sibling {
  readonly id: bigint;
  readonly position: number;
}

interface Change {
  readonly action: 'created' | 'updated' | 'deleted';
  readonly id: bigint;
  readonly before: string | null;
}

class Children {
  readonly #tx: Transaction;
  readonly #child: ChildRules;
  readonly #parent: Parent;

  constructor(tx: Transaction, child: ChildRules, parent: Parent) {
    this.#tx = tx;
    this.#child = child;
    this.#parent = parent;
  }

  async write(given: readonly GivenChild[]): Promise<ChangeRecord[]> {
    const { property, table } = this.#child;
    const siblings = this.#parent.isNew ? [] : await this.#siblings();
    const ids = new Set(siblings.map(({ id }) => id));
    const added = given.filter((one) => one.verb === 'create');
    for (const one of given)
      if (one.verb !== 'create' && !ids.has(one.id)) throw new ChildRefused(property, one.index);
    const removed = given.filter(({ verb }) => verb === 'remove').length;
    const { most = Number.POSITIVE_INFINITY } = table.resource;
    if (siblings.length - removed + added.length > most) throw new ChildRefused(property, null);
    const changes: Change[] = [];
    for (const one of given) {
      if (one.verb === 'remove') changes.push(await this.#remove(one.id));
      if (one.verb === 'update') changes.push(...(await this.#update(one.id, one.given)));
    }
    const last = Math.max(-1, ...siblings.map(({ position }) => position));
    changes.push(
      ...(await this.#insert(
        added.map((one) => one.given),
        last + 1,
      )),
    );
    return this.#recordsOf(changes);
  }

  #siblings(): Promise<Sibling[]> {
    const { name, parent, resource } = this.#child.table;
    return this.#tx.$queryRawUnsafe<Sibling[]>(
      `select c.id, ${isOrdered(resource) ? 'c.position' : '0'} as position from ${name} c
        where c.workspace_id = $1::bigint and c.${parent.column} = $2::bigint`,
      this.#parent.workspaceId,
      this.#parent.id,
    );
  }

  async #remove(id: bigint): Promise<Change> {
    const { before, remove } = childStatements(this.#child);
    const [was] = await this.#ask<{ before: string }>(before, id);
    await this.#ask(remove, id);
    return { action: 'deleted', id, before: was?.before ?? null };
  }

  async #update(id: bigint, given: string): Promise<Change[]> {
    const { before, now, update } = childStatements(this.#child);
    const [was] = await this.#ask<{ before: string; is_change: boolean }>(before, id, { given });
    if (was?.is_change !== true) return [];
    const [time] = await this.#ask<{ now: string }>(now, id);
    await this.#ask(update, id, { ...was, ...time });
    return [{ action: 'updated', id, before: was.before }];
  }

  /** @param first the position of the first of them */
  async #insert(given: readonly string[], first: number): Promise<Change[]> {
    if (given.length === 0) return [];
    const { name, parent, resource } = this.#child.table;
    const columns = givenColumns(resource, 'creation');
    const isTimed = resource.sorts !== undefined;
    const rows = given.map((_, index) => [
      ...['$1::bigint', '$2::bigint'],
      ...(isOrdered(resource) ? [`${first + index}`] : []),
      ...columns.map(
        (column) => `(jsonb_populate_record(null::${name}, $${index + (isTimed ? 4 : 3)}::jsonb)).${column}`,
      ),
      ...(isTimed ? ['$3::timestamptz', '$3::timestamptz'] : []),
    ]);
    const all = [
      ...['workspace_id', parent.column],
      ...(isOrdered(resource) ? ['position'] : []),
      ...columns,
      ...(isTimed ? ['created_at', 'updated_at'] : []),
    ];
    const inserted = await this.#tx.$queryRawUnsafe<{ id: bigint }[]>(
      `insert into ${name} (${all}) values ${rows.map((row) => `(${row})`)} returning id`,
      ...[this.#parent.workspaceId, this.#parent.id],
      ...(isTimed ? [await timeOf(this.#tx, this.#child.table)] : []),
      ...given,
    );
    return inserted.map(({ id }) => ({ action: 'created', id, before: null }));
  }

  async #recordsOf(changes: readonly Change[]): Promise<ChangeRecord[]> {
    const { table } = this.#child;
    const { resource } = table;
    const { workspaceId } = this.#parent;
    const present = changes.filter(({ action }) => action !== 'deleted').map(({ id }) => id);
    const shown = await findSnapshots(this.#tx, table, workspaceId, present);
    const after = new Map(present.map((id, index) => [id, shown[index] ?? null]));
    const hidden = expandableNames(resource);
    const [some] = present;
    const contactId = some === undefined ? null : await findContactOf(this.#tx, table, workspaceId, some);
    return changes.map(({ action, id, before }) => {
      const now = after.get(id) ?? null;
      const data = withoutMembers(now ?? before ?? '{}', hidden);
      return {
        ...{ workspaceId, resource, action, before, after: now, contactId, subjectId: id },
        outcome: action === 'deleted' ? 'removed' : action,
        events: isTold(resource, action) ? [{ resource, name: action, subjectId: id, data }] : [],
      };
    });
  }

  #ask<Row extends object>(statement: NamedStatement, id: bigint, more: object = {}): Promise<Row[]> {
    const { workspaceId } = this.#parent;
    const values = {
      ...{ workspace_id: workspaceId, row_id: id, given: '{}', row_version: null, known_by: null },
      ...more,
    };
    return this.#tx.$queryRawUnsafe<Row[]>(statement.text, ...valuesOf(statement, values));
  }
}
