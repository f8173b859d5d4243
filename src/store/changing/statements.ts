// The statements that create, change and remove a row of any noun, made from its description. One statement does everything: it finds the
// owner, locks the row, claims the idempotency key, and writes the row, its audit entry and its events.
//
// A statement sees tables as they were when it began, but a row that it locks as it is now. A change that waited for a row lock may have
// read other data, such as tags, too early. The row version shows this; then the statement changes nothing (`fresh` is false).
//
// A change that leaves the row as it is records only its idempotency key.
import { isOrdered } from '../../resources/resource.ts';
import { BOUND_WAITS } from '../connections/time-limits.ts';
import { isBelowWorkspace } from '../reading/parents.ts';
import { contactIdOf } from '../sql/contact-ways.ts';
import { snapshot } from '../sql/row-json.ts';
import { type NamedStatement, named } from '../sql/statements.ts';
import { tagsOf } from '../sql/tags.ts';
import { ownedWorkspace, type Table } from '../tables/table.ts';
import { type DistributedStatements, distributedStatements } from './distributed/statements.ts';
import { audit, claim, event, isTold, outbox, TOLD } from './records.ts';
import { type ChangeRules, givenColumns, isKnownBy, mergedColumns } from './rules.ts';
import { appliedSet, appliedSetOfNew, isOtherSet, tagEvents } from './tag-set.ts';

type Noun = Table<{ id: bigint }>;

/** The statements of one noun. */
export interface ChangeStatements {
  readonly create: NamedStatement;
  readonly update: NamedStatement;
  readonly remove: NamedStatement;
  /** The row as it is now, for changes that depend on it. */
  readonly current: NamedStatement;
  /** Take the same locks as each change, so that a change that follows sees the latest rows. */
  readonly locks: Readonly<Record<'create' | 'update' | 'remove', NamedStatement>>;
  /** Whether its changes take several steps in any store: it is written with others. */
  readonly areSteps: boolean;
  /** The same changes in a distributed store. */
  distributed(): DistributedStatements;
}

/** @param rules the SQL that is specific to the noun */
export function changeStatements(table: Noun, rules: ChangeRules = {}): ChangeStatements {
  // A name must always stand for the same text.
  const name = rules.tags === undefined ? table.name : `${table.name}.tagged`;
  let distributed: DistributedStatements | undefined;
  const lock = named(`${name}.lock`, locked(table, rules, BOUND_WAITS));
  return {
    create: named(`${name}.create`, createText(table, rules)),
    update: named(`${name}.update`, updateText(table, rules)),
    remove: named(`${name}.remove`, removeText(table, rules)),
    current: named(
      `${table.name}.current`,
      `select t.row_version as version, ${snapshot(table.resource, table.columns)}::text as snapshot from ${table.name} t
        where t.id = $id::bigint and (${table.visible}) and ${owned(table)}`,
    ),
    locks: {
      create: named(`${table.name}.lock_parent`, `${owner(table, 'p.id')} for update of p`),
      update: lock,
      remove: lock,
    },
    areSteps: rules.children !== undefined || isOrdered(table.resource),
    distributed: () => {
      distributed ??= distributedStatements(table, rules);
      return distributed;
    },
  };
}

/** `$id` is the parent's id. */
function createText(table: Noun, rules: ChangeRules): string {
  const { resource, name, parent } = table;
  const events = eventsOf(table, rules, 'created', 'after');
  const given = givenColumns(resource, 'creation');
  const derived = Object.entries(rules.derived ?? {});
  const columns = [...given, ...derived.map(([column]) => column)];
  const values = [...given.map((column) => `n.${column}`), ...derived.map(([, { onCreate }]) => onCreate)];
  const below = isBelowWorkspace(parent.table) ? [parent.column] : [];
  return `with ${place(table, rules)}, ${claim('fits', 'created')}, t as (
      insert into ${name} (${['workspace_id', ...below, ...columns].join(', ')})
      select ${['go.workspace_id', ...below.map(() => 'go.id'), ...values].join(', ')}
      from go cross join lateral jsonb_populate_record(null::${name}, $given::jsonb) n
      returning *
    ), ${rules.tags === undefined ? '' : appliedSetOfNew(rules.tags)}
    ${rules.touchesParent ? touch(parent.table) : ''} shown as (
      select t.workspace_id, t.id, ${contactIdOf(resource)} as contact_id, null::json as before,
        ${snapshot(resource, table.columns, tagsOfApplied(rules))} as after
        ${happenings(rules, 'onCreate')}
      from t cross join lateral (select t.*) n
    ), ${audit(resource, 'created')}
    ${outboxOf(events)}
    ${answer(events, '(select after from shown)')}`;
}

/** The parent of a new row. */
function owner({ parent }: Noun, columns: string): string {
  const workspace = isBelowWorkspace(parent.table) ? 'p.workspace_id' : 'p.id';
  return `select ${columns}, ${workspace} as workspace_id, ${BOUND_WAITS} from ${parent.table} p
      where p.id = $id::bigint and ${ownedWorkspace(workspace, '$team', '$workspaces')}`;
}

/** The parent of a new row, and whether it has room for one more. A parent that changes with the row is locked first. */
function place(table: Noun, { touchesParent, most }: ChangeRules): string {
  const { name, parent } = table;
  const target = touchesParent
    ? `${owner(table, 'p.id, p.row_version')} for update of p`
    : owner(table, 'p.id');
  const fresh = touchesParent
    ? `select target.* from target join ${parent.table} s on s.workspace_id = target.workspace_id and s.id = target.id
      where s.row_version = target.row_version`
    : 'select * from target';
  const siblings = `select from ${name} s where s.workspace_id = fresh.workspace_id and s.${parent.column} = fresh.id`;
  const room = most ? `(select count(*) from (${siblings}) s) < ${most.perParent}` : 'true';
  return `target as materialized (${target}), fresh as materialized (${fresh}),
    fits as materialized (select id, workspace_id from fresh where ${room})`;
}

function updateText(table: Noun, rules: ChangeRules): string {
  const { resource, name } = table;
  const events = eventsOf(table, rules, 'updated', 'after');
  const given = givenColumns(resource, 'change');
  const merged = mergedColumns(resource);
  const values = [
    ...given.map((column) => [
      column,
      merged.includes(column) ? `c.${column} || coalesce($given::jsonb -> '${column}', '{}')` : `n.${column}`,
    ]),
    ...Object.entries(rules.derived ?? {}).map(([column, { onUpdate }]) => [column, onUpdate]),
  ];
  const set = values.map(([column, value]) => `${column} = ${value}`);
  const isChange = [
    ...values.map(([column, value]) => `c.${column} is distinct from ${value}`),
    ...(rules.tags === undefined ? [] : [isOtherSet(rules.tags, 'c')]),
  ];
  return `with ${target(table, rules, isKnownBy(rules, '(fresh.o)'))}, ${claim('fits', 'updated')}, was as materialized (
      select t.workspace_id, t.id, ${snapshot(resource, table.columns)} as before
      from go cross join lateral (select (go.o).*) t
    ), t as (
      update ${name} c set ${set.join(', ')}, ${bump('c')}
      from go cross join lateral (select (go.o).*) o cross join lateral jsonb_populate_record(go.o, $given::jsonb) n
      where c.workspace_id = go.workspace_id and c.id = o.id and (${isChange.join(' or ')})
      returning c.*
    ), ${rules.tags === undefined ? '' : appliedSet(rules.tags)} shown as (
      select t.workspace_id, t.id, ${contactIdOf(resource)} as contact_id, was.before,
        ${snapshot(resource, table.columns, tagsOfApplied(rules))} as after
        ${happenings(rules, 'onUpdate')}
      from t cross join was cross join lateral (select t.*) n cross join go cross join lateral (select (go.o).*) o
    ), ${audit(resource, 'updated')}
    ${outboxOf(events)}
    ${answer(events, 'coalesce((select after from shown), (select before from was))')}`;
}

function removeText(table: Noun, rules: ChangeRules): string {
  const { resource, name, parent } = table;
  const events = eventsOf(table, rules, 'deleted', 'before');
  return `with ${target(table, rules)}, ${claim('fits', 'removed')}, shown as materialized (
      select t.workspace_id, t.id, ${contactIdOf(resource)} as contact_id, null::json as after,
        ${snapshot(resource, table.columns)} as before, t.${parent.column} as parent_id
      from go cross join lateral (select (go.o).*) t
    ), gone as (
      delete from ${name} c using shown where c.workspace_id = shown.workspace_id and c.id = shown.id
    ), ${rules.touchesParent ? touch(parent.table, 'shown', 'parent_id') : ''}
    ${audit(resource, 'deleted')}
    ${outboxOf(events)}
    ${answer(events, '(select before from shown)')}`;
}

/**
 * Locks the row. A parent that changes with it is locked first, before any id is assigned, so that events are in the order of the changes.
 */
function locked(table: Noun, { touchesParent }: ChangeRules, columns: string): string {
  const { name, parent } = table;
  const owner = `join ${parent.table} p on p.workspace_id = t.workspace_id and p.id = t.${parent.column}`;
  return `select ${columns} from ${name} t ${touchesParent ? owner : ''}
    where t.id = $id::bigint and (${table.visible}) and ${owned(table)} for update of ${touchesParent ? 'p, t' : 't'}`;
}

/**
 * The locked row as the composite `o`; whether the statement sees it, and a parent that changes with it, in their latest versions; and
 * whether the precondition holds.
 * @param condition a further precondition
 */
function target(table: Noun, rules: ChangeRules, condition = 'true'): string {
  const { name, parent } = table;
  const [version, sees] = rules.touchesParent
    ? [
        'p.row_version as parent_version,',
        `join ${parent.table} sp on sp.workspace_id = s.workspace_id and sp.id = s.${parent.column}
        and sp.row_version = target.parent_version`,
      ]
    : ['', ''];
  return `target as materialized (
      ${locked(table, rules, `t as o, t.workspace_id, ${version} ${BOUND_WAITS}`)}
    ), fresh as materialized (
      select target.* from target join ${name} s on s.workspace_id = target.workspace_id and s.id = (target.o).id ${sees}
      where s.row_version = (target.o).row_version
    ), fits as materialized (
      select * from fresh where ($row_version::int is null or (fresh.o).row_version = $row_version::int) and ${condition}
    )`;
}

/** @param shown SQL of the snapshot */
function answer(events: readonly string[], shown: string): string {
  return `select exists (select from target) as found, exists (select from fresh) as fresh,
      exists (select from fits) as fits, ${shown}::text as snapshot${events.length === 0 ? '' : `, ${TOLD}`}`;
}

function outboxOf(events: readonly string[]): string {
  return events.length === 0 ? '' : `, ${outbox(events)}`;
}

/** The events of a change, from the description and the rules. */
function eventsOf(
  { resource }: Noun,
  rules: ChangeRules,
  action: string,
  data: 'before' | 'after',
): string[] {
  const happened = action === 'deleted' ? [] : Object.keys(rules.events ?? {});
  return [
    ...(isTold(resource, action) ? [event(resource, action, data)] : []),
    ...happened.map((name) => event(resource, name, data, { when: `has_${name}` })),
    ...(rules.tags === undefined || action === 'deleted' ? [] : tagEvents(rules.tags, action)),
  ];
}

/** One column for each event of the rules: whether it happened. */
function happenings({ events = {} }: ChangeRules, moment: 'onCreate' | 'onUpdate'): string {
  return Object.entries(events)
    .map(([name, sql]) => `, ${sql[moment]} as has_${name}`)
    .join('');
}

function owned(table: Noun): string {
  return table.owned('$team', '$workspaces');
}

/** The columns that every change of a row sets, given the row's alias. */
export function bump(alias: string): string {
  return `row_version = ${alias}.row_version + 1,
    updated_at = greatest(clock_timestamp(), ${alias}.updated_at + interval '1 millisecond')`;
}

/** Changes the parent that the row is a part of. */
function touch(parents: string, from = 'go', id = 'id'): string {
  return `touched as (
      update ${parents} c set ${bump('c')} from ${from}
      where c.workspace_id = ${from}.workspace_id and c.id = ${from}.${id}
    ),`;
}

function tagsOfApplied({ tags }: ChangeRules): Record<string, string> {
  return tags === undefined ? {} : { tags: tagsOf('applied', tags.parent.column) };
}
