// Creates, changes and removes a row of any noun, in the steps of one transaction. Steps that do not depend on each other are sent together
// (pipeline.ts). If one statement can write several tables, a creation that writes no other row of a noun writes its row and its record in
// one step.
import { ignoreUnhandled } from '../../concurrency/ignore-unhandled.ts';
import { notFound, preconditionFailed } from '../../errors.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { type NamedStatement, valuesOf } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { Transaction } from '../store.ts';
import { type ChildChanges, type ColumnValues, writeChildren } from './children.ts';
import type { Pipeline } from './pipeline.ts';
import {
  type CreationResult,
  eventTypeOf,
  findSubscriptions,
  type KeyClaim,
  type Notified,
  readKeyClaim,
  record,
  recordUnchanged,
  requireUnclaimed,
} from './record.ts';
import {
  type ChangeOrigin,
  type ChangeRecord,
  isNotified,
  outcomeOf,
  type RowAction,
  type Subscription,
} from './records.ts';
import type { ChangingRow } from './rules.ts';
import type { ChangeStatements } from './statements.ts';
import { applyTags, replaceTags } from './tag-set.ts';

/** The change that a client requests. */
export interface ChangeRequest {
  /** The row's id; for a creation, its parent's id. */
  readonly id: bigint;
  /** Tests the precondition with the row's JSON for REST; null: there is none. */
  readonly precondition: ((json: string) => boolean) | null;
  /** Whether `given` needs the row. */
  readonly needsRow?: boolean;
  /** Whether other rows change with Prisma's models (`othersByModels`). */
  readonly needsModels?: boolean;
  /**
   * Returns the values to set. Called after the precondition holds, and not for the retry of a completed request.
   * @param before the row's JSON for REST; empty without `needsRow` @throws AppError for what the row does not allow
   */
  given(before: string): GivenValues;
  /** The value by which the row was found; null: its id. Nothing changes if the row no longer has that value. */
  readonly knownBy?: string | null;
  /** More parameters for the noun's rules. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export interface GivenValues extends ColumnValues {
  /** The changes of its children. */
  readonly children?: ChildChanges | undefined;
  /** The values of the noun's inputs that are not columns, by property; absent: none. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  /** The tags that the row gets; null: it keeps its tags. */
  readonly tagIds: readonly bigint[] | null;
}

/** The transaction of a change, its caller, and the data for its record. */
export interface Changing {
  readonly tx: Pipeline;
  /** Prisma's models in the same transaction; null: the transaction was opened without them. */
  readonly models: Transaction | null;
  readonly statements: ChangeStatements;
  /** Whether triggers keep rows of other tables up to date; otherwise the noun's rules do (`updateOtherTables`). */
  readonly hasTriggers: boolean;
  /** The caller, restricted to the row's workspace if statements need it. */
  readonly recorded: ChangeOrigin;
  /** The row's workspace, if it was looked up; null: it is read from the row. */
  readonly workspaceId: bigint | null;
  /** All workspaces in which the idempotency key may have been used. */
  readonly everywhere: Tenancy;
}

/** A completed change: what was recorded, and the endpoints that were notified. */
export interface ChangeResult extends Notified {
  readonly change: ChangeRecord;
}

/** A parent already has the maximum number of rows. */
export class TooMany extends Error {}

export interface UnchangedResult {
  /** The JSON of the row, which already had the requested values. */
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
}

/** Creates a row. @throws AppError `not_found` for its parent; TooMany; ClaimedBefore; the database's error */
export async function create(changing: Changing, wanted: ChangeRequest): Promise<ChangeResult> {
  const { tx, statements, recorded, everywhere } = changing;
  const { rules } = statements;
  const { id, parameters } = wanted;
  const given = wanted.given('');
  const values = {
    ...{ ...recorded, id, parent_id: id, given: given.json },
    ...newValues(statements.insert, given),
    ...parameters,
  };
  if (statements.createRecorded !== null && writesRowAlone(given)) {
    const [written] = await ask<CreationResult>(tx, statements.createRecorded, values);
    if (written !== undefined) {
      const { workspace_id, id: rowId, after, endpoints, rows } = written;
      const snapshots = { contact_id: null, before: null, after };
      await tx.commit();
      return { endpoints, rows, change: changeOf(changing, 'created', workspace_id, rowId, snapshots, []) };
    }
    // The steps below find out why, or claim an expired key again.
  }
  const draw = () => firstRow(ask<Drawn>(tx, statements.draw, values));
  const [turn, [owned], early] = await Promise.all([
    readKeyClaim(tx, recorded, everywhere),
    ask<{ workspace_id: bigint }>(tx, statements.owner, values),
    rules.others === undefined ? draw() : null,
  ]);
  if (owned === undefined) throw notFound(statements.table.parent.title);
  requireUnclaimed(turn);
  const { workspace_id } = owned;
  const siblings =
    statements.siblings &&
    (await firstRow(ask<Siblings>(tx, statements.siblings, { ...values, workspace_id })));
  if (siblings !== null && siblings.count >= (rules.most?.perParent ?? Infinity)) throw new TooMany();
  const unwritten = { workspaceId: workspace_id, id: null, parentId: id, before: null, given };
  const first = await changeOtherRows(changing, 'before', unwritten);
  const derived = await rules.others?.parameters?.(tx, unwritten);
  // Drawn as late as possible, because the other steps may wait for locks, and the lists of all teams hide rows newer than the ids of an
  // open transaction.
  const drawn = early ?? (await draw());
  const of = { ...values, ...drawn, ...siblings, ...owned, ...derived };
  touch(changing, of);
  const inserting = ask<After & { id: bigint }>(tx, statements.insert, of);
  const finding = findSubscriptions(tx, workspace_id, possibleEvents(changing, 'created'));
  const [inserted, subscriptions] = await Promise.all([firstRow(inserting), finding]);
  const { id: rowId } = inserted;
  const tagEvents =
    rules.tags === undefined ? [] : await applyTags(tx, rules.tags, workspace_id, rowId, given.tagIds ?? []);
  const itself = { workspaceId: workspace_id, id: rowId, isNew: true };
  const children = [
    ...first,
    ...(await writeChildren(tx, rules, itself, given.children ?? {})),
    ...(await changeOtherRows(changing, 'after', { ...unwritten, ...itself })),
    ...(await changeOtherRowsWithModels(changing, { ...unwritten, ...itself })),
  ];
  if (!changing.hasTriggers) await rules.updateOtherTables?.(tx, workspace_id, rowId);
  const shown =
    statements.showsAfterwards || tagEvents.length + children.length > 0
      ? await firstRow(ask<After>(tx, statements.shown, { workspace_id, id: rowId }))
      : inserted;
  const events = [...eventsThatHappened(changing, 'created', rowId, shown, shown), ...tagEvents];
  const snapshots = { contact_id: shown.contact_id, before: null, after: shown.after };
  const change = changeOf(changing, 'created', workspace_id, rowId, snapshots, events, children);
  return finish(changing, turn, change, drawn, subscriptions);
}

/** Changes a row. @throws as `lock`; AppError `precondition_failed`; ClaimedBefore; the database's error; what the precondition and `given` throw */
export async function update(
  changing: Changing,
  wanted: ChangeRequest,
): Promise<ChangeResult | UnchangedResult> {
  const { tx, statements, recorded } = changing;
  const { rules } = statements;
  const { precondition, needsRow = false, knownBy = null, parameters } = wanted;
  const planned = (given: GivenValues) =>
    ask<Plan>(tx, statements.plan, {
      ...valuesFor(changing, wanted.id),
      ...parameters,
      given: given.json,
      known_by: knownBy,
    });
  const prepare = () => prepareRecord(changing, 'updated', wanted.id);
  const locking = ignoreUnhandled(lock(changing, wanted.id));
  let given = precondition === null && !needsRow ? wanted.given('') : null;
  let planning = given && planned(given);
  const preparing = rules.others === undefined ? prepare() : null;
  const { turn, workspace_id, before } = await locking;
  if (precondition?.(before.before) === false) throw preconditionFailed();
  requireUnclaimed(turn);
  given ??= wanted.given(before.before);
  planning ??= planned(given);
  const plan = await firstRow(planning);
  if (!plan.is_known) throw preconditionFailed();
  const itself = { workspaceId: workspace_id, id: wanted.id };
  const row = { ...itself, parentId: before.parent_id, before: before.before, given };
  const first = [
    ...(plan.is_change ? await changeOtherRows(changing, 'before', row) : []),
    ...(await changeOtherRowsWithModels(changing, row)),
  ];
  const [drawn, subscriptions] = await (preparing ?? prepare());
  const of = { ...recorded, id: wanted.id, workspace_id, ...drawn, ...plan };
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
  const written = await writeChildren(tx, rules, { ...itself, isNew: false }, given.children ?? {});
  const children = [...first, ...written];
  if (!plan.is_change && tagEvents.length + children.length === 0) {
    const auditEntryId = drawn.audit_entry_id;
    const unchanged = { workspaceId: workspace_id, auditEntryId, subjectId: wanted.id };
    await Promise.all([recordUnchanged(tx, recorded, turn, unchanged), tx.commit()]);
    return { unchanged: before.before };
  }
  touch(changing, { ...of, parent_id: before.parent_id });
  const updating = early ?? ask<After>(tx, statements.update, of);
  const isShown = early === null && !statements.showsAfterwards;
  const showing = isShown ? updating : ask<After>(tx, statements.shown, of);
  const shown = await firstRow(showing);
  children.push(...(await changeOtherRows(changing, 'after', row)));
  if (!changing.hasTriggers) await rules.updateOtherTables?.(tx, workspace_id, wanted.id);
  const events = [...eventsThatHappened(changing, 'updated', wanted.id, shown, plan), ...tagEvents];
  const snapshots = { contact_id: shown.contact_id, before: before.before, after: shown.after };
  const change = changeOf(changing, 'updated', workspace_id, wanted.id, snapshots, events, children);
  return finish(changing, turn, change, drawn, subscriptions);
}

/** Removes a row. @throws as `lock`; AppError `precondition_failed`; ClaimedBefore; the database's error; what the precondition throws */
export async function remove(changing: Changing, wanted: ChangeRequest): Promise<ChangeResult> {
  const { tx, statements, recorded } = changing;
  const prepare = () => prepareRecord(changing, 'deleted', wanted.id);
  const locking = ignoreUnhandled(lock(changing, wanted.id));
  const preparing = statements.rules.others === undefined ? prepare() : null;
  const { turn, workspace_id, before } = await locking;
  if (wanted.precondition?.(before.before) === false) throw preconditionFailed();
  requireUnclaimed(turn);
  const of = { ...recorded, id: wanted.id, workspace_id, ...before };
  const itself = { workspaceId: workspace_id, id: wanted.id };
  const row = { ...itself, parentId: before.parent_id, before: before.before, given: null };
  const first = await changeOtherRows(changing, 'before', row);
  const [drawn, subscriptions] = await (preparing ?? prepare());
  touch(changing, { ...of, ...drawn });
  // If the removal fails, so does the record, which is sent with it.
  void ask(tx, statements.remove, of);
  const events = event(statements.table.resource, 'deleted', wanted.id, before.before);
  const snapshots = { contact_id: before.contact_id, before: before.before, after: null };
  const changed = [...first, ...(await changeOtherRows(changing, 'after', row))];
  const change = changeOf(changing, 'deleted', workspace_id, wanted.id, snapshots, events, changed);
  return finish(changing, turn, change, drawn, subscriptions);
}

/** The values by which statements find a row before its lock is answered. */
function valuesFor({ recorded, workspaceId }: Changing, id: bigint) {
  return { ...recorded, id, workspace_id: workspaceId };
}

/** Locks a row, then reads it: a change that waited for the lock sees the latest state. @throws AppError `not_found` */
async function lock(changing: Changing, id: bigint) {
  const { tx, statements, recorded, everywhere } = changing;
  const values = valuesFor(changing, id);
  const { personal } = statements;
  const [turn, [locked], , , [before]] = await Promise.all([
    readKeyClaim(tx, recorded, everywhere),
    ask<{ workspace_id: bigint }>(tx, statements.lock, values),
    personal && ask(tx, personal.hold, values),
    personal && ask(tx, personal.blank, values),
    ask<Before>(tx, statements.before, values),
  ]);
  if (locked === undefined || before === undefined) throw notFound(statements.table.title);
  return { turn, workspace_id: locked.workspace_id, before };
}

/**
 * Draws the id of the audit entry and reads which endpoints to notify. Sent after `lock`, so that events are in the order of the changes.
 * If rules change other rows, it is sent after their locks, because the lists of all teams hide rows newer than the ids of an open
 * transaction.
 */
function prepareRecord(changing: Changing, action: 'updated' | 'deleted', id: bigint) {
  const { tx, statements } = changing;
  const values = { ...valuesFor(changing, id), event_types: possibleEvents(changing, action) };
  const drawing = firstRow(ask<Drawn>(tx, statements.draw, values));
  return ignoreUnhandled(Promise.all([drawing, ask<Subscription>(tx, statements.subscriptions, values)]));
}

/** Whether a creation writes no other row of a noun. */
function writesRowAlone({ tagIds, children = {} }: GivenValues): boolean {
  return tagIds === null && Object.values(children).every((list) => list.length === 0);
}

/** Changes the parent if it shows the row. */
function touch({ tx, statements }: Changing, values: Readonly<Record<string, unknown>>): void {
  // If it fails, so do all statements after it.
  if (statements.touch !== null) void ask(tx, statements.touch, values);
}

async function finish(
  { tx, recorded }: Changing,
  turn: KeyClaim,
  change: ChangeRecord,
  { audit_entry_id }: Drawn,
  subscriptions: readonly Subscription[],
): Promise<ChangeResult> {
  const prepared = { turn, auditEntryId: audit_entry_id, subscriptions, commit: () => tx.commit() };
  return { ...(await record(tx, recorded, change, prepared)), change };
}

/** The types of all events that a change may have. */
function possibleEvents({ statements: { table, rules } }: Changing, action: RowAction): string[] {
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

/** The types of those events for which endpoints are notified. */
function typesOf(resource: Resource, names: readonly string[]): string[] {
  return names.filter((name) => isNotified(resource, name)).map((name) => eventTypeOf(resource, name));
}

/** Changes other rows as the noun's rules say. */
async function changeOtherRows(
  { tx, statements: { rules } }: Changing,
  moment: 'before' | 'after',
  row: ChangingRow,
): Promise<readonly ChangeRecord[]> {
  return (await rules.others?.[moment]?.(tx, row)) ?? [];
}

/** Changes other rows with Prisma's models as the noun's rules say. */
async function changeOtherRowsWithModels(
  { models, statements: { rules } }: Changing,
  row: ChangingRow,
): Promise<readonly ChangeRecord[]> {
  return models === null ? [] : ((await rules.othersByModels?.make(models, row)) ?? []);
}

function event(resource: Resource, name: string, subjectId: bigint, data: string): ChangeRecord['events'] {
  if (!isNotified(resource, name)) return [];
  return [{ resource, name, subjectId, data }];
}

/** The event of the change itself, and the events of the noun's rules that happened with it. */
function eventsThatHappened(
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
  action: RowAction,
  workspaceId: bigint,
  subjectId: bigint,
  { contact_id, before, after }: { contact_id: bigint | null; before: string | null; after: string | null },
  events: ChangeRecord['events'],
  children: readonly ChangeRecord[] = [],
): ChangeRecord {
  const { resource } = statements.table;
  return {
    ...{ workspaceId, resource, action, outcome: outcomeOf(action), subjectId },
    ...{ contactId: contact_id, before, after },
    events: [...events, ...children.flatMap((child) => child.events)],
    children: children.filter((child) => child.resource.topic !== undefined),
    rows: children.length,
  };
}

/** The values of a new row's columns; null for those that the client omits. */
function newValues({ parameters }: NamedStatement, { columns }: GivenValues): Record<string, unknown> {
  const names = parameters.filter((parameter) => parameter.startsWith(NEW_VALUE_PREFIX));
  return Object.fromEntries(
    names.map((name) => [name, columns[name.slice(NEW_VALUE_PREFIX.length)] ?? null]),
  );
}

/** The prefix of the parameters that hold a row's columns. */
const NEW_VALUE_PREFIX = 'new_';

function ask<Row extends object>(
  tx: Pipeline,
  statement: NamedStatement,
  values: Readonly<Record<string, unknown>>,
): PromiseLike<Row[]> {
  return tx.$queryRawUnsafe<Row[]>(statement.text, ...valuesOf(statement, values));
}

async function firstRow<Row>(answer: PromiseLike<Row[]>): Promise<Row> {
  const [row] = await answer;
  if (row === undefined) throw new TypeError('A statement returned no row');
  return row;
}
