// The statements that create, change and remove a row of any noun in a distributed store. Like changing/statements.ts they are made from
// the noun's description, but a change takes several statements of one transaction, each of which Citus sends to one shard.
//
// Values that must not differ between shards, ids and times, are taken from the coordinator and passed as parameters. Computed columns are
// passed as one JSON object, `$changed`, which the coordinator takes apart.
import { isOrdered } from '../../../resources/resource.ts';
import { isBelowWorkspace } from '../../reading/parents.ts';
import { contactIdOf } from '../../sql/contact-ways.ts';
import { TYPE_NUMBER } from '../../sql/public-ids.ts';
import { snapshot } from '../../sql/row-json.ts';
import { type NamedStatement, named } from '../../sql/statements.ts';
import { ownedWorkspace, type Table, withWorkspace } from '../../tables/table.ts';
import { tableNamed } from '../../tables/tables.ts';
import { bumpAt, changeTime } from '../records.ts';
import { type ChangeRules, givenColumns, isKnownBy, mergedColumns } from '../rules.ts';

type Noun = Table<{ id: bigint }>;

/** The statements of one noun. They find `$id`, the row's own or its parent's, in the workspaces `$workspaces`. */
export interface DistributedStatements {
  readonly table: Noun;
  readonly rules: ChangeRules;
  readonly create: {
    /** The parent of a new row: `workspace_id`. Locks the parent where it changes too. */
    readonly owner: NamedStatement;
    /** How many rows the parent has: `count`; null where there is no limit. */
    readonly siblings: NamedStatement | null;
    /** Executed on the coordinator: `id`, `now`, and the new row's columns as `changed`. */
    readonly draw: NamedStatement;
    /** The `position` behind the last row of the parent; null where rows have no order. */
    readonly last: NamedStatement | null;
    readonly insert: NamedStatement;
  };
  /** A row as it is now: `snapshot`, `version`. */
  readonly current: NamedStatement;
  /** Locks a row; before it, its parent where that changes too. */
  readonly lock: NamedStatement;
  /**
   * Reads the locked row: whether the precondition holds (`fits`), whether anything would change (`is_change`), its JSON for REST
   * (`before`), the row itself (`was`), and its columns after the change (`changed`).
   */
  readonly before: NamedStatement;
  /** The time of a change, as `now`. */
  readonly now: NamedStatement;
  readonly update: NamedStatement;
  readonly remove: NamedStatement;
  /** Changes the parent where this row is a part of it; else null. */
  readonly touch: NamedStatement | null;
  /** The JSON that REST shows of the row now, the contact whose data it holds, and which events of the rules happened. */
  readonly after: { readonly created: NamedStatement; readonly updated: NamedStatement };
}

/** @param rules the SQL that is specific to the noun */
export function distributedStatements(table: Noun, rules: ChangeRules): DistributedStatements {
  const { name, parent } = table;
  // Citus infers the workspace only for joins.
  const of = (verb: string, text: string) =>
    named(`${name}.distributed.${verb}`, withWorkspace(text, '$workspace_id::bigint'));
  const here = (alias: string) =>
    `${alias}.workspace_id = $workspace_id::bigint and ${alias}.id = $row_id::bigint`;
  return {
    table,
    rules,
    create: {
      owner: named(`${name}.distributed.owner`, ownerText(table, rules)),
      siblings: rules.most
        ? of(
            'siblings',
            `select count(*)::int as count from (select from ${name} s
              where s.workspace_id = $workspace_id::bigint and s.${parent.column} = $id::bigint limit ${rules.most.perParent}) s`,
          )
        : null,
      draw: of('draw', drawText(table, rules)),
      last: isOrdered(table.resource)
        ? of(
            'last',
            `select coalesce(max(s.position) + 1, 0) as position from ${name} s
              where s.workspace_id = $workspace_id::bigint and s.${parent.column} = $id::bigint`,
          )
        : null,
      insert: of('insert', insertText(table, rules)),
    },
    current: of(
      'current',
      `select t.row_version as version, ${snapshot(table.resource, table.columns)}::text as snapshot from ${name} t
        where ${here('t')} and (${table.visible}) and ${table.owned('$team', '$workspaces')}`,
    ),
    lock: named(`${name}.distributed.lock`, lockText(table, rules)),
    before: of('before', beforeText(table, rules, here('t'))),
    now: of('now', `select ${drawnTime(table, rules)}::text as now`),
    update: of('update', updateText(table, rules, here('c'))),
    remove: of('remove', `delete from ${name} c where ${here('c')}`),
    touch: rules.touchesParent
      ? of(
          'touch',
          `update ${parent.table} c set ${bumpAt('$now')}
            where c.workspace_id = $workspace_id::bigint and c.id = $parent_id::bigint`,
        )
      : null,
    after: {
      created: of('created', afterText(table, rules, 'onCreate', here('t'))),
      updated: of('updated', afterText(table, rules, 'onUpdate', here('t'))),
    },
  };
}

/** The time of a change. It is announced where lists are ordered by time. */
function drawnTime(table: Noun, { touchesParent }: ChangeRules): string {
  return changeTime(touchesParent ? tableNamed(table.parent.table) : table);
}

function isTimed({ resource }: Noun): boolean {
  return resource.sorts !== undefined;
}

function ownerText({ parent }: Noun, { touchesParent }: ChangeRules): string {
  const workspace = isBelowWorkspace(parent.table) ? 'p.workspace_id' : 'p.id';
  return `select ${workspace} as workspace_id from ${parent.table} p
    where p.id = $id::bigint and ${ownedWorkspace(workspace, '$team', '$workspaces')} ${touchesParent ? 'for update of p' : ''}`;
}

/** Its workspace is known by then, so even with the parent the statement is for one shard. */
function lockText(table: Noun, { touchesParent }: ChangeRules): string {
  const { name, parent } = table;
  const owner = `join ${parent.table} p on p.workspace_id = t.workspace_id and p.id = t.${parent.column}`;
  return `select t.workspace_id from ${name} t ${touchesParent ? owner : ''}
    where t.workspace_id = $workspace_id::bigint and t.id = $id::bigint and (${table.visible})
      and ${table.owned('$team', '$workspaces')}
    for update of ${touchesParent ? 'p, t' : 't'}`;
}

const derivedColumns = ({ derived = {} }: ChangeRules) => Object.keys(derived);

function drawText(table: Noun, rules: ChangeRules): string {
  const { name } = table;
  const given = givenColumns(table.resource, 'creation').map((column) => `n.${column}`);
  const derived = Object.entries(rules.derived ?? {}).map(
    ([column, { onCreate }]) => `${onCreate} as ${column}`,
  );
  return `select draw_id(${TYPE_NUMBER[name]}, '${name}_id_seq') as id, ${drawnTime(table, rules)}::text as now,
      (select to_jsonb(v)::text from (select ${[...given, ...derived].join(', ') || 'true as none'}
        from jsonb_populate_record(null::${name}, $given::jsonb) n) v) as changed`;
}

/** A column of `$changed`. */
const changed = ({ name }: Noun, column: string) =>
  `(jsonb_populate_record(null::${name}, $changed::jsonb)).${column}`;

function insertText(table: Noun, rules: ChangeRules): string {
  const { name, parent } = table;
  const below: Record<string, string> = isBelowWorkspace(parent.table)
    ? { [parent.column]: '$id::bigint' }
    : {};
  const times: Record<string, string> = isTimed(table)
    ? { created_at: '$now::timestamptz', updated_at: '$now::timestamptz' }
    : {};
  const columns = [...givenColumns(table.resource, 'creation'), ...derivedColumns(rules)];
  const values: Record<string, string> = {
    workspace_id: '$workspace_id::bigint',
    id: '$row_id::bigint',
    ...below,
    ...(isOrdered(table.resource) && { position: '$position::int' }),
    ...Object.fromEntries(columns.map((column) => [column, changed(table, column)])),
    ...times,
  };
  return `insert into ${name} (${Object.keys(values).join(', ')}) values (${Object.values(values).join(', ')})`;
}

function beforeText(table: Noun, rules: ChangeRules, here: string): string {
  const { resource, name, parent } = table;
  const merged = mergedColumns(resource);
  const values = [
    ...givenColumns(table.resource, 'change').map((column) => [
      column,
      merged.includes(column) ? `o.${column} || coalesce($given::jsonb -> '${column}', '{}')` : `n.${column}`,
    ]),
    ...Object.entries(rules.derived ?? {}).map(([column, { onUpdate }]) => [column, onUpdate]),
  ];
  const changed = values.map(([column, value]) => `${value} as ${column}`);
  const isChange = values.map(([column, value]) => `o.${column} is distinct from ${value}`);
  return `select ($row_version::int is null or t.row_version = $row_version::int) and ${isKnownBy(rules, 't')} as fits,
      t.${parent.column} as parent_id, ${contactIdOf(resource)} as contact_id,
      ${snapshot(resource, table.columns)}::text as before, to_jsonb(t)::text as was,
      (select to_jsonb(v)::text from (select ${changed.join(', ') || 'true as none'}) v) as changed,
      ${isChange.join(' or ') || 'false'} as is_change
    from ${name} t cross join lateral (select t.*) o cross join lateral jsonb_populate_record(t, $given::jsonb) n
    where ${here}`;
}

function updateText(table: Noun, rules: ChangeRules, here: string): string {
  const columns = [...givenColumns(table.resource, 'change'), ...derivedColumns(rules)];
  const set = columns.map((column) => `${column} = ${changed(table, column)}`);
  return `update ${table.name} c set ${[...set, bumpAt('$now')].join(', ')} where ${here}`;
}

function afterText(
  table: Noun,
  { events = {} }: ChangeRules,
  moment: 'onCreate' | 'onUpdate',
  here: string,
): string {
  const { resource, name } = table;
  const happened = Object.entries(events).map(([event, sql]) => `, ${sql[moment]} as "${event}"`);
  const was =
    moment === 'onCreate' ? '' : `cross join lateral jsonb_populate_record(null::${name}, $was::jsonb) o`;
  return `select ${contactIdOf(resource)} as contact_id, ${snapshot(resource, table.columns)}::text as after,
      to_json((select h from (select true as there ${happened.join('')}) h))::text as happened
    from ${name} t cross join lateral (select t.*) n ${was} where ${here}`;
}
