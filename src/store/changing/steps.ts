// Creates, changes and removes a row of any noun, in the steps of one transaction. Steps that need no answer of each other are sent
// together (pipeline.ts).
import { expandableNames, type Resource } from '../../resources/resource.ts';
import { withoutMembers } from '../../rows/json-members.ts';
import { type NamedStatement, valuesOf } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { type GivenChildren, type GivenColumns, writeChildren } from './children.ts';
import type { Pipeline } from './pipeline.ts';
import {
  eventTypeOf,
  findSubscriptions,
  type KeyTurn,
  type Notified,
  record,
  recordUnchanged,
  requireUnclaimed,
  type Subscription,
  takeTurn,
} from './record.ts';
import { type ChangeOutcome, type ChangeRecord, isNotified, type Recorded } from './records.ts';
import type { ChangingRow } from './rules.ts';
import type { ChangeStatements } from './statements.ts';
import { applyTags, replaceTags } from './tag-set.ts';

/** What a client wants changed. */
export interface Wanted {
  /** The row's id; at creation its parent's. */
  readonly id: bigint;
  /** Whether the precondition holds for the row, given its JSON for REST; null: there is none. */
  readonly precondition: ((json: string) => boolean) | null;
  /** The values to set. Asked for once the precondition holds. */
  given(): Given;
  /** What the row was found by; null: its id. Nothing is changed if it is no longer that. */
  readonly knownBy?: string | null;
  /** Values of further parameters of the noun's rules. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export interface Given extends GivenColumns {
  /** What is done with its children. */
  readonly children?: GivenChildren | undefined;
  /** The tags to have; null: those that there are. */
  readonly tagIds: readonly bigint[] | null;
}

/** The transaction of a change, its caller, and what is recorded. */
export interface Changing {
  readonly tx: Pipeline;
  readonly statements: ChangeStatements;
  /** Who makes the change, restricted to the row's workspace where that must be known. */
  readonly recorded: Recorded;
  /** The row's workspace where it was looked up; null: the row says it. */
  readonly workspaceId: bigint | null;
  /** All workspaces in which the idempotency key may have been used. */
  readonly everywhere: Tenancy;
  /** Whether statements for rows that the caller does not own are refused by PostgreSQL itself. */
  readonly isGuarded: boolean;
}

/** A change that was made: what was recorded, and who is notified. */
export interface Made extends Notified {
  readonly change: ChangeRecord;
}

/** Why a change was not made: the caller owns no such row, or a precondition does not hold. */
export type NotMade = 'not_found' | 'precondition';

export interface Same {
  /** The JSON of the row, which already was as requested. */
  readonly unchanged: string;
}

interface After {
  readonly contact_id: bigint | null;
  readonly after: string;
  /** Whether the event of a rule happened: `has_...`. */
  readonly [column: string]: unknown;
}

interface Plan extends Readonly<Record<string, unknown>> {
  readonly is_known: boolean;
  readonly is_change: boolean;
}

interface Before {
  readonly before: string;
  readonly parent_id: bigint;
  readonly contact_id: bigint | null;
}

interface Siblings {
  readonly count: number;
  readonly position?: number;
}

interface Drawn {
  readonly audit_entry_id: bigint;
  readonly now: string;
}

/** Creates a row. @throws ClaimedBefore; the database's error */
export async function create(changing: Changing, wanted: Wanted): Promise<Made | NotMade> {
  const { tx, statements, recorded, everywhere, isGuarded } = changing;
  const { table, rules } = statements;
  const { id, parameters } = wanted;
  const given = wanted.given();
  const values = {
    ...recorded,
    id,
    given: given.json,
    ...newValues(statements.insert, given),
    ...parameters,
  };
  const turn = takeTurn(tx, recorded, everywhere);
  const owner = ask<{ workspace_id: bigint }>(tx, statements.owner, values);
  const draw = ask<Drawn>(tx, statements.draw, values);
  // Where PostgreSQL guards rows and the workspace is known, the row is written before the answers are there. It stays only if they allow.
  const isKnown =
    isGuarded &&
    !statements.showsAfterwards &&
    !statements.insert.parameters.includes('position') &&
    rules.others?.before === undefined &&
    table.parent.table === 'workspaces';
  const unwritten = { id: null, before: null, given };
  const write = async (workspace_id: bigint, drawn: Partial<Drawn & Siblings>) => {
    const row = { ...unwritten, workspaceId: workspace_id };
    const before = await others(changing, 'before', row);
    const derived = await rules.others?.parameters?.(tx, row);
    const of = { ...values, workspace_id, ...drawn, ...derived };
    const touching = statements.touch && ask(tx, statements.touch, { ...of, parent_id: id });
    const inserting = ask<After & { id: bigint }>(tx, statements.insert, of);
    const finding = findSubscriptions(tx, workspace_id, possibleEvents(changing, 'created'));
    const [inserted, subscriptions] = await Promise.all([only(inserting), finding, touching]);
    return { inserted, subscriptions, before };
  };
  const siblingsOf = (workspace_id: bigint) =>
    statements.siblings && ask<Siblings>(tx, statements.siblings, { ...values, workspace_id });
  const early = isKnown ? ([siblingsOf(id), write(id, {})] as const) : null;
  early?.[1].catch(() => {});
  const [claimedTurn, [owned]] = await Promise.all([turn, owner]);
  if (owned === undefined) return 'not_found';
  requireUnclaimed(claimedTurn);
  const { workspace_id } = owned;
  const [siblings] = (await (early?.[0] ?? siblingsOf(workspace_id))) ?? [];
  if (siblings !== undefined && siblings.count >= (rules.most?.perParent ?? Infinity)) return 'precondition';
  const drawn = await only(draw);
  const writing = early?.[1] ?? write(workspace_id, { ...drawn, ...siblings, ...owned });
  const { inserted, subscriptions, before } = await writing;
  const { id: rowId } = inserted;
  const tagEvents =
    rules.tags === undefined ? [] : await applyTags(tx, rules.tags, workspace_id, rowId, given.tagIds ?? []);
  const itself = { workspaceId: workspace_id, id: rowId, isNew: true };
  const children = [
    ...before,
    ...(await writeChildren(tx, rules, itself, given.children ?? {})),
    ...(await others(changing, 'after', { ...unwritten, ...itself })),
  ];
  const shown =
    statements.showsAfterwards || tagEvents.length + children.length > 0
      ? await only(ask<After>(tx, statements.shown, { workspace_id, id: rowId }))
      : inserted;
  const events = [...happened(changing, 'created', rowId, shown, shown), ...tagEvents];
  const snapshots = { contact_id: shown.contact_id, before: null, after: shown.after };
  const change = changeOf(changing, 'created', workspace_id, rowId, snapshots, events, children);
  return finish(changing, claimedTurn, change, drawn, subscriptions);
}

/** Changes a row. @throws ClaimedBefore; the database's error; what the precondition and `given` throw */
export async function update(changing: Changing, wanted: Wanted): Promise<Made | Same | NotMade> {
  const { tx, statements, recorded } = changing;
  const { rules } = statements;
  const { precondition, knownBy = null, parameters } = wanted;
  const locking = lock(changing, 'updated', wanted.id);
  const planned = (given: Given) =>
    ask<Plan>(tx, statements.plan, {
      ...valuesFor(changing, wanted.id),
      ...parameters,
      given: given.json,
      known_by: knownBy,
    });
  let given: Given | null = precondition === null ? wanted.given() : null;
  let planning = given && planned(given);
  const locked = await locking;
  if (locked === null) return 'not_found';
  const { turn, workspace_id, before, drawn, subscriptions } = locked;
  if (precondition?.(before.before) === false) return 'precondition';
  requireUnclaimed(turn);
  given ??= wanted.given();
  planning ??= planned(given);
  const plan = await only(planning);
  if (!plan.is_known) return 'precondition';
  const of = { ...recorded, id: wanted.id, workspace_id, ...drawn, ...plan };
  const row = { workspaceId: workspace_id, id: wanted.id, before: before.before, given };
  const first = plan.is_change ? await others(changing, 'before', row) : [];
  const { tagIds } = given;
  // The events of tags show the row as this change leaves it.
  const early =
    rules.tags !== undefined && tagIds !== null && plan.is_change
      ? ask<After>(tx, statements.update, of)
      : null;
  const tagEvents =
    rules.tags === undefined || tagIds === null
      ? []
      : await replaceTags(tx, rules.tags, workspace_id, wanted.id, tagIds);
  const itself = { workspaceId: workspace_id, id: wanted.id, isNew: false };
  const children = [...first, ...(await writeChildren(tx, rules, itself, given.children ?? {}))];
  if (!plan.is_change && tagEvents.length + children.length === 0) {
    await Promise.all([
      recordUnchanged(tx, recorded, turn, {
        workspaceId: workspace_id,
        auditEntryId: drawn.audit_entry_id,
        subjectId: wanted.id,
      }),
      tx.commit(),
    ]);
    return { unchanged: before.before };
  }
  const updating = early ?? ask<After>(tx, statements.update, of);
  const isShown = early === null && !statements.showsAfterwards;
  const showing = isShown ? updating : ask<After>(tx, statements.shown, of);
  const shown = await only(showing);
  children.push(...(await others(changing, 'after', row)));
  const events = [...happened(changing, 'updated', wanted.id, shown, plan), ...tagEvents];
  const snapshots = { contact_id: shown.contact_id, before: before.before, after: shown.after };
  const change = changeOf(changing, 'updated', workspace_id, wanted.id, snapshots, events, children);
  return finish(changing, turn, change, drawn, subscriptions);
}

/** Removes a row. @throws ClaimedBefore; the database's error; what the precondition throws */
export async function remove(changing: Changing, wanted: Wanted): Promise<Made | NotMade> {
  const { tx, statements, recorded } = changing;
  const locked = await lock(changing, 'deleted', wanted.id);
  if (locked === null) return 'not_found';
  const { turn, workspace_id, before, drawn, subscriptions } = locked;
  if (wanted.precondition?.(before.before) === false) return 'precondition';
  requireUnclaimed(turn);
  const of = { ...recorded, id: wanted.id, workspace_id, ...before, ...drawn };
  const row = { workspaceId: workspace_id, id: wanted.id, before: before.before, given: null };
  const first = await others(changing, 'before', row);
  // If they fail, so does the record, which is sent with them.
  void ask(tx, statements.remove, of);
  if (statements.touch !== null) void ask(tx, statements.touch, of);
  const events = event(statements.table.resource, 'deleted', wanted.id, before.before);
  const snapshots = { contact_id: before.contact_id, before: before.before, after: null };
  const changed = [...first, ...(await others(changing, 'after', row))];
  const change = changeOf(changing, 'deleted', workspace_id, wanted.id, snapshots, events, changed);
  return finish(changing, turn, change, drawn, subscriptions);
}

/** The values by which statements find a row before the answer to its lock is there. */
function valuesFor({ recorded, workspaceId }: Changing, id: bigint) {
  return { ...recorded, id, workspace_id: workspaceId };
}

/** Locks a row, then reads it: a change that waited for the lock sees the latest state. Null: the caller owns no such row. */
async function lock(changing: Changing, action: 'updated' | 'deleted', id: bigint) {
  const { tx, statements, recorded, everywhere } = changing;
  const values = { ...valuesFor(changing, id), event_types: possibleEvents(changing, action) };
  const [turn, [locked], [before], drawn, subscriptions] = await Promise.all([
    takeTurn(tx, recorded, everywhere),
    ask<{ workspace_id: bigint }>(tx, statements.lock, values),
    ask<Before>(tx, statements.before, values),
    only(ask<Drawn>(tx, statements.draw, values)),
    ask<Subscription>(tx, statements.subscriptions, values),
  ]);
  if (locked === undefined || before === undefined) return null;
  return { turn, workspace_id: locked.workspace_id, before, drawn, subscriptions };
}

async function finish(
  { tx, recorded }: Changing,
  turn: KeyTurn,
  change: ChangeRecord,
  { audit_entry_id }: Drawn,
  subscriptions: readonly Subscription[],
): Promise<Made> {
  const happened = new Set(change.events.map(({ resource, name }) => eventTypeOf(resource, name)));
  const notified = await record(tx, recorded, change, {
    turn,
    auditEntryId: audit_entry_id,
    subscriptions: subscriptions.filter(({ event_type }) => happened.has(event_type)),
    commit: () => tx.commit(),
  });
  return { ...notified, change };
}

/** The types of all events that a change may have. */
function possibleEvents(
  { statements: { table, rules } }: Changing,
  action: 'created' | 'updated' | 'deleted',
): string[] {
  const typesOf = (resource: Resource, names: readonly string[]) =>
    names.filter((name) => isNotified(resource, name)).map((name) => eventTypeOf(resource, name));
  const others = (rules.others?.nouns ?? []).flatMap(({ resource }) =>
    typesOf(resource, resource.events ?? []),
  );
  if (action === 'deleted') return [...typesOf(table.resource, [action]), ...others];
  const below = [rules.tags, ...(rules.children ?? []).map((child) => child.table)];
  return [
    ...typesOf(table.resource, [action, ...Object.keys(rules.events ?? {})]),
    ...others,
    ...below.flatMap((child) => (child ? typesOf(child.resource, ['created', 'updated', 'deleted']) : [])),
  ];
}

/** What the noun's rules do to other rows. */
async function others(
  { tx, statements: { rules } }: Changing,
  moment: 'before' | 'after',
  row: ChangingRow,
): Promise<readonly ChangeRecord[]> {
  return (await rules.others?.[moment]?.(tx, row)) ?? [];
}

function event(resource: Resource, name: string, subjectId: bigint, data: string): ChangeRecord['events'] {
  if (!isNotified(resource, name)) return [];
  // Nobody asks for more in an event.
  return [{ resource, name, subjectId, data: withoutMembers(data, expandableNames(resource)) }];
}

/** The event of the change itself, and the events of the noun's rules that happened with it. */
function happened(
  { statements: { table, rules } }: Changing,
  name: 'created' | 'updated',
  subjectId: bigint,
  { after }: After,
  flags: Readonly<Record<string, unknown>>,
): ChangeRecord['events'] {
  const names = [name, ...Object.keys(rules.events ?? {}).filter((one) => flags[`has_${one}`] === true)];
  return names.flatMap((one) => event(table.resource, one, subjectId, after));
}

function changeOf(
  { statements }: Changing,
  action: 'created' | 'updated' | 'deleted',
  workspaceId: bigint,
  subjectId: bigint,
  { contact_id, before, after }: { contact_id: bigint | null; before: string | null; after: string | null },
  events: ChangeRecord['events'],
  children: readonly ChangeRecord[] = [],
): ChangeRecord {
  const outcome: ChangeOutcome = action === 'deleted' ? 'removed' : action;
  const { resource } = statements.table;
  return {
    ...{ workspaceId, resource, action, outcome, subjectId },
    ...{ contactId: contact_id, before, after },
    events: [...events, ...children.flatMap((child) => child.events)],
    children: children.filter((child) => child.resource.topic !== undefined),
    rows: children.length,
  };
}

/** The values of a new row's columns; null for those that are not given. */
function newValues({ parameters }: NamedStatement, { columns }: Given): Record<string, unknown> {
  const names = parameters.filter((parameter) => parameter.startsWith(NEW));
  return Object.fromEntries(names.map((name) => [name, columns[name.slice(NEW.length)] ?? null]));
}

/** What the parameters of a row's columns begin with. */
const NEW = 'new_';

function ask<Row extends object>(
  tx: Pipeline,
  statement: NamedStatement,
  values: Readonly<Record<string, unknown>>,
): Promise<Row[]> {
  return tx.$queryRawUnsafe<Row[]>(statement.text, ...valuesOf(statement, values)) as Promise<Row[]>;
}

async function only<Row>(answer: Promise<Row[]>): Promise<Row> {
  const [row] = await answer;
  if (row === undefined) throw new TypeError('A statement did not answer');
  return row;
}
