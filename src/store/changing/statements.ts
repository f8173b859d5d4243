// The statements that create, change and remove a row of any noun, made from its description. A change takes several statements of one
// transaction (steps.ts); a creation may be one statement, which writes the record too. What a statement can and must do depends on whether
// the row's workspace is known, and on where the store's rows are (shard-placement/).
import { isOrdered } from '../../resources/description/common-fields.ts';
import { typeOf } from '../../resources/description/field-types.ts';
import { restNameOf, toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { hidesMembers } from '../../rows/shown-json.ts';
import { isBelowWorkspace } from '../reading/parents.ts';
import type { PlacementRules } from '../shard-placement/placement.ts';
import { contactIdOf } from '../sql/contact-ways.ts';
import { blankHidden, isBlankedByErasure, lockContact } from '../sql/personal-data.ts';
import { snapshot } from '../sql/row-json.ts';
import { type NamedStatement, named, ROW_WORKSPACE } from '../sql/statements.ts';
import { locksParent, ownedWorkspace, type Table } from '../tables/table.ts';
import { tableNamed } from '../tables/tables.ts';
import { ENTRY_ID, eventTypeOf, IS_NEW_KEY, subscribersQuery, withRecord } from './record.ts';
import { changeTime, isNotified, versionColumns } from './records.ts';
import { type ChangeRules, mergedColumns, stillHasValue, writableColumns } from './rules.ts';

type Noun = Table<{ id: bigint }>;

/** The statements of one noun. They find a row by `$id`, its workspace and the caller's ownership. */
export interface ChangeStatements {
  readonly table: Noun;
  readonly rules: ChangeRules;
  /**
   * Reads the parent of a new row, `$id`: `workspace_id`, and the columns that the row copies. Locks the parent, unless it is a workspace.
   */
  readonly owner: NamedStatement;
  /** Counts the parent's rows: `count`; if they are ordered, also the next `position`. null if neither is needed. */
  readonly siblings: NamedStatement | null;
  /**
   * Draws `audit_entry_id` for a record that is written separately. With `drawsFirst` it also draws the time of the change as `now`;
   * otherwise the statements take the time themselves.
   */
  readonly draw: NamedStatement;
  /** Creates a row: returns `id` and, unless `showsAfterwards`, what `shown` returns. */
  readonly insert: NamedStatement;
  /** Locks a row and returns `workspace_id`. If the parent changes too, locks it first. */
  readonly lock: NamedStatement;
  /** For a noun with personal fields: locks the row's contact, so that it is not erased meanwhile, and blanks the row if it was erased. */
  readonly personal: { readonly hold: NamedStatement; readonly blank: NamedStatement } | null;
  /** The locked row: its JSON as `before`, `parent_id`, `contact_id`. */
  readonly before: NamedStatement;
  /**
   * Computes a change of the locked row: whether the row still has the value by which it was found (`is_known`), whether anything would
   * change (`is_change`), the columns after the change as text (`new_...`), and which events of the rules would happen (`has_...`).
   */
  readonly plan: NamedStatement;
  /** Changes a row and, unless `showsAfterwards`, returns what `shown` returns. */
  readonly update: NamedStatement;
  readonly remove: NamedStatement;
  /** Finds the endpoints to notify of events of the types `$event_types` in the row's workspace (`Subscription`). */
  readonly subscriptions: NamedStatement;
  /** Changes the parent if it shows this row; else null. */
  readonly touch: NamedStatement | null;
  /** Reads the row: its JSON as `after`, its `contact_id`, and which events of the rules happened at its creation (`has_...`). */
  readonly shown: NamedStatement;
  /** Whether a statement that writes cannot return the row, so that `shown` must follow it. */
  readonly showsAfterwards: boolean;
  /**
   * Creates a row below `$id` together with its record (`Written`), unless the caller does not own it or the key was ever claimed. null if
   * a statement can write to only one table, if the rules change other rows or lock the parent, or if events show less than the record.
   */
  readonly createRecorded: NamedStatement | null;
}

/** What the statements of a change must do. */
export type StatementRules = Pick<PlacementRules, 'namesWorkspace' | 'writesAlone' | 'drawsFirst'>;

/** For rows that a change of several steps has locked: in any store, their workspace and the time of the change are known. */
export const LOCKED_ROW_RULES: StatementRules = { namesWorkspace: true, writesAlone: true, drawsFirst: true };

/** @param rules the SQL that is specific to the noun @param must what the statements must do */
export function changeStatements(table: Noun, rules: ChangeRules, must: StatementRules): ChangeStatements {
  const { name, parent } = table;
  const { namesWorkspace, writesAlone, drawsFirst } = must;
  const workspace = namesWorkspace ? '$workspace_id::bigint' : 't.workspace_id';
  const of = (verb: string, text: string) => named(`${name}.${verb}`, text, workspace);
  const here = 't.workspace_id = $workspace_id::bigint and t.id = $id::bigint';
  /** For statements that are sent before the lock is answered: the workspace is known only if it was looked up. */
  const locked = namesWorkspace ? here : 't.id = $id::bigint';
  const own = namesWorkspace ? locked : `${locked} and ${table.owned('$team', '$workspaces')}`;
  const show = (type: 'json' | 'text', instead = {}) =>
    `${contactIdOf(table.resource, 't', ROW_WORKSPACE)} as contact_id,
    ${snapshot(table.resource, table.columns, instead)}::${type} as after${eventColumns(rules, 'onCreate', (sql) => sql.replaceAll(/\bn\./g, 't.'))}`;
  const returning = (shown: string) => `returning t.workspace_id, t.id${writesAlone ? '' : `, ${shown}`}`;
  // A new row has no tags yet.
  const returningNew = (type: 'json' | 'text') => returning(show(type, rules.tags && { tags: "'[]'" }));
  const bump = (changed: Noun | undefined) => versionColumns(drawsFirst ? '$now' : changeTime(changed), 't');
  const set = [...changedColumns(table, rules).map((column) => `${column} = $new_${column}`), bump(table)];
  const update = `update ${name} t set ${set.join(', ')} where ${here}`;
  const remove = `delete from ${name} t where ${here}`;
  const siblings =
    rules.most || isOrdered(table.resource) ? of('siblings', siblingsText(table, rules)) : null;
  const insertOwn = insertText(table, rules, drawsFirst, ownerText(table, rules));
  return {
    table,
    rules,
    owner: of('owner', ownerText(table, rules)),
    siblings,
    draw: of(
      'draw',
      `select ${ENTRY_ID} as audit_entry_id${drawsFirst ? `, ${timeOfChange(table, rules)}::text as now` : ''}`,
    ),
    insert: of('insert', `${insertText(table, rules, drawsFirst)} ${returningNew('text')}`),
    lock: of('lock', lockText(table, rules, locked, `(${table.visible})`)),
    personal: isBlankedByErasure(table.resource)
      ? {
          hold: of('hold', lockContact(table.resource, own, namesWorkspace ? workspace : undefined)),
          blank: of('blank', blankHidden(table.resource, own, workspace)),
        }
      : null,
    before: of(
      'before',
      `select t.${parent.column} as parent_id, ${contactIdOf(table.resource, 't', ROW_WORKSPACE)} as contact_id,
        ${snapshot(table.resource, table.columns)}::text as before from ${name} t where ${locked}`,
    ),
    plan: of('plan', `${planText(table, rules)} where ${locked}`),
    update: of('update', `${update} ${returning(show('text'))}`),
    remove: of('remove', remove),
    subscriptions: of(
      'subscriptions',
      subscribersQuery(
        namesWorkspace
          ? '$workspace_id::bigint'
          : `(select t.workspace_id from ${name} t where t.id = $id::bigint)`,
        '$event_types',
      ),
    ),
    touch: rules.touchesParent
      ? of(
          'touch',
          `update ${parent.table} t set ${bump(tableNamed(parent.table))} where t.workspace_id = $workspace_id::bigint and t.id = $parent_id::bigint`,
        )
      : null,
    shown: of('shown', `select ${show('text')} from ${name} t where ${here}`),
    showsAfterwards: writesAlone,
    createRecorded:
      writesAlone ||
      rules.others !== undefined ||
      hidesMembers(table.resource) ||
      rules.touchesParent ||
      rules.inherited ||
      siblings !== null
        ? null
        : of(
            'created_recorded',
            withRecord(
              table.resource,
              `${insertOwn} ${returningNew('json')}`,
              typesOfNew(table.resource, rules),
            ),
          ),
  };
}

/** SQL of the event types of a new row `t` that has columns for the events of the rules. */
function typesOfNew(resource: Resource, { events = {} }: ChangeRules): string {
  const types = [
    ['created', 'true'],
    ...Object.keys(events).map((name) => [name, `t."has_${name}"`]),
  ].flatMap(([name = '', condition]) =>
    isNotified(resource, name) ? [`case when ${condition} then '${eventTypeOf(resource, name)}' end`] : [],
  );
  return `array_remove(array[${types}]::text[], null)`;
}

/** The time of a change. If lists are ordered by time, they do not read past it until the transaction ends. */
function timeOfChange(table: Noun, { touchesParent }: ChangeRules): string {
  return changeTime(touchesParent ? tableNamed(table.parent.table) : table);
}

/** The lock keeps ids below one parent in the order of commits (`commitsInOrder`): the new row draws its id afterwards. */
function ownerText({ parent, resource }: Noun, { touchesParent, inherited = [] }: ChangeRules): string {
  const workspace = isBelowWorkspace(parent.table) ? 'p.workspace_id' : 'p.id';
  const lock = touchesParent ? 'for update of p' : locksParent(resource) ? 'for no key update of p' : '';
  return `select ${workspace} as workspace_id${inherited.map((column) => `, p.${column}`).join('')} from ${parent.table} p
    where p.id = $id::bigint and ${ownedWorkspace(workspace, '$team', '$workspaces')} ${lock}`;
}

function siblingsText({ name, parent, resource }: Noun, { most }: ChangeRules): string {
  const [shown, column] = isOrdered(resource)
    ? [', coalesce(max(s.position) + 1, 0) as position', 's.position']
    : ['', ''];
  return `select count(*)::int as count${shown} from (select ${column} from ${name} s
    where s.workspace_id = $workspace_id::bigint and s.${parent.column} = $id::bigint limit ${most?.perParent ?? 'all'}) s`;
}

function lockText(table: Noun, { touchesParent }: ChangeRules, locked: string, visible: string): string {
  const { name, parent } = table;
  const owner = `join ${parent.table} p on p.workspace_id = t.workspace_id and p.id = t.${parent.column}`;
  return `select t.workspace_id from ${name} t ${touchesParent ? owner : ''}
    where ${locked} and ${visible} and ${table.owned('$team', '$workspaces')}
    for update of ${touchesParent ? 'p, t' : 't'}`;
}

const derivedColumns = ({ derived = {} }: ChangeRules) => Object.keys(derived);

function changedColumns({ resource }: Noun, rules: ChangeRules): string[] {
  return [...new Set([...writableColumns(resource, 'change'), ...derivedColumns(rules)])];
}

/**
 * The columns' values are the parameters `$new_...`, which have the columns' types.
 * @param owner finds the workspace if it is not known; then nothing is inserted for a claimed key either
 */
function insertText(table: Noun, rules: ChangeRules, drawsFirst: boolean, owner?: string): string {
  const { resource, name, parent } = table;
  const typed = (sql: string) =>
    sql.replaceAll(/\bn\.(\w+)/g, (_, column: string) => `$new_${column}::${typeOfColumn(resource, column)}`);
  // Without `drawsFirst`, a trigger sets the time.
  const isTimed = drawsFirst && resource.sorts !== undefined;
  const values: Record<string, string> = {
    workspace_id: owner === undefined ? '$workspace_id::bigint' : 'p.workspace_id',
    ...(isBelowWorkspace(parent.table) && { [parent.column]: '$id::bigint' }),
    ...(isOrdered(resource) && { position: '$position::int' }),
    ...Object.fromEntries(
      (rules.inherited ?? []).map((column) => [column, `$${column}::${typeOfColumn(resource, column)}`]),
    ),
    ...Object.fromEntries(
      writableColumns(resource, 'creation').map((column) => [
        column,
        column === 'position' && isOrdered(resource)
          ? 'coalesce($new_position::int, $position::int)'
          : `$new_${column}`,
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(rules.derived ?? {}).map(([column, { onCreate }]) => [column, typed(onCreate)]),
    ),
    ...(isTimed && { created_at: '$now::timestamptz', updated_at: '$now::timestamptz' }),
  };
  const list = Object.values(values).join(', ');
  return `insert into ${name} as t (${Object.keys(values).join(', ')})
    ${owner === undefined ? `values (${list})` : `select ${list} from (${owner}) p where ${IS_NEW_KEY}`}`;
}

/** The SQL type of a column that clients give. */
export function typeOfColumn({ fields }: Resource, column: string): string {
  const [, field] = Object.entries(fields).find(([property]) => toSnakeCase(property) === column) ?? [];
  if (field === undefined) throw new TypeError(`${column} is no column that can be given`);
  return typeOf(field.type).columns[0] ?? 'text';
}

/** The rules' SQL uses the old row `o` and the new row `n`; in a computed column, `n` has the client's values. */
function planText(table: Noun, rules: ChangeRules): string {
  const { resource, name } = table;
  const merged = mergedColumns(resource);
  const values = [
    ...writableColumns(resource, 'change')
      .filter((column) => !(column in (rules.derived ?? {})))
      .map((column) => [column, merged.includes(column) ? mergedValue(resource, column) : `n.${column}`]),
    ...Object.entries(rules.derived ?? {}).map(([column, { onUpdate }]) => [column, onUpdate]),
  ];
  const computed = values.map(([column, value]) => `${value} as ${column}`).join(', ') || 'true as none';
  const isChange = values.map(([column]) => `o.${column} is distinct from v.${column}`).join(' or ');
  const columns = values.map(([column]) => `, v.${column}::text as new_${column}`);
  const after = rules.events ? `cross join lateral jsonb_populate_record(t, to_jsonb(v)) n` : '';
  return `select ${stillHasValue(rules, 't')} as is_known, ${isChange || 'false'} as is_change${columns.join('')}${eventColumns(rules, 'onUpdate')}
    from ${name} t cross join lateral (select t.*) o
      cross join lateral (select ${computed} from jsonb_populate_record(t, $given::jsonb) n) v ${after}`;
}

/** A merged column after a change: null clears it, an object changes some members, and without either it stays. */
function mergedValue({ fields }: Resource, column: string): string {
  const [, field] = Object.entries(fields).find(([property]) => toSnakeCase(property) === column) ?? [];
  const members = Object.entries(field?.object ?? {}).map(([name, member]) => [
    restNameOf(name, member),
    null,
  ]);
  const given = `$given::jsonb -> '${column}'`;
  return `case jsonb_typeof(${given}) when 'null' then null
    when 'object' then coalesce(o.${column}, '${JSON.stringify(Object.fromEntries(members))}') || (${given})
    else o.${column} end`;
}

/** One column for each event of the rules, which says whether it happens. */
function eventColumns(
  { events = {} }: ChangeRules,
  moment: 'onCreate' | 'onUpdate',
  over = (sql: string) => sql,
): string {
  return Object.entries(events)
    .map(([name, sql]) => `, ${over(sql[moment])} as "has_${name}"`)
    .join('');
}
