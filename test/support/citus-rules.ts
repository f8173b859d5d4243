// Statements that Citus 13 refuses for a table that it distributes by its workspace, found with PostgreSQL's own parser: a migration with
// one could not be applied to a distributed store. The rules look only at the text of a statement; queries are not their concern. `npm
// run test:citus` sends the examples of these rules to Citus.
import { parse } from 'libpg-query';

/** A node of the parse tree: its fields, under the name of its type. */
type Node = Readonly<Record<string, unknown>>;

const KEY = 'workspace_id';

/** The parts of ALTER TABLE that Citus supports. */
const ALTERED = new Set(
  [
    ...['AddColumn', 'DropColumn', 'SetNotNull', 'DropNotNull', 'ColumnDefault', 'AlterColumnType'],
    ...['AddConstraint', 'DropConstraint', 'ValidateConstraint', 'SetRelOptions', 'ResetRelOptions'],
    ...['EnableRowSecurity', 'DisableRowSecurity', 'ForceRowSecurity', 'NoForceRowSecurity'],
    ...[
      'AttachPartition',
      'DetachPartition',
      'ReplicaIdentity',
      'ChangeOwner',
      'SetCompression',
      'SetLogged',
    ],
  ].map((name) => `AT_${name}`),
);

/** Matches functions whose result differs each time. */
const VOLATILE = /^(clock_timestamp|nextval|random|gen_random_uuid|draw_id|draw_time)$/;

/**
 * The parts of a migration that Citus would refuse; an empty list if there are none.
 * @param distributed the tables below a workspace; tables that the migration creates are recognized by their keys
 */
export async function findRefused(sql: string, distributed: ReadonlySet<string>): Promise<string[]> {
  const { stmts = [] } = (await parse(sql)) as { stmts?: { stmt: Node }[] };
  const below = new Set(distributed);
  return stmts.flatMap(({ stmt }) => {
    const [[type = '', fields = {}] = []] = Object.entries(stmt) as [string, Node][];
    const table = (fields['relation'] as { relname?: string } | undefined)?.relname ?? '';
    if (type === 'CreateStmt' && isBelow(fields)) below.add(table);
    if (!below.has(table)) return [];
    return refusedOf(type, fields, below).map((why) => `${table}: ${why}`);
  });
}

function refusedOf(type: string, fields: Node, below: ReadonlySet<string>): string[] {
  switch (type) {
    case 'CreateStmt':
      return constraintsOf(fields).flatMap((constraint) => ofConstraint(constraint, below));
    case 'IndexStmt':
      return when(fields['unique'] === true && !names(fields['indexParams']).includes(KEY), UNIQUE);
    case 'CreateTrigStmt':
      return ['a trigger: there are none on shards'];
    case 'RenameStmt':
      return when(fields['renameType'] === 'OBJECT_TABCONSTRAINT', 'a constraint cannot be renamed');
    case 'UpdateStmt':
      return when(
        texts(fields, 'funcname').some((name) => VOLATILE.test(name)),
        'a function whose answer changes is computed by no shard: give its value',
      );
    case 'AlterTableStmt': {
      const commands = (fields['cmds'] as { AlterTableCmd: Node }[]).map((command) => command.AlterTableCmd);
      const isAdded = commands.some(({ subtype }) => subtype === 'AT_AddConstraint');
      return [
        ...when(isAdded && commands.length > 1, 'a constraint is added by a statement of its own'),
        ...commands.flatMap((command) => ofCommand(command, below)),
      ];
    }
    default:
      return [];
  }
}

const UNIQUE = `what is unique has ${KEY} among its columns, for a shard knows its own rows alone`;

function ofCommand({ subtype, name, def = {} }: Node, below: ReadonlySet<string>): string[] {
  const definition = Object.values(def as Node)[0] as Node | undefined;
  switch (subtype) {
    case 'AT_AddColumn':
      return ofNewColumn(definition ?? {}, below);
    case 'AT_AddConstraint':
      return ofConstraint(definition ?? {}, below);
    case 'AT_AlterColumnType':
    case 'AT_DropColumn':
      return when(name === KEY, `${KEY} says where a row is: it stays as it is`);
    default:
      return when(!ALTERED.has(String(subtype)), `ALTER TABLE of this kind (${String(subtype)})`);
  }
}

function ofNewColumn(column: Node, below: ReadonlySet<string>): string[] {
  const constraints = ((column['constraints'] ?? []) as { Constraint: Node }[]).map((one) => one.Constraint);
  const type = texts(column['typeName'], 'names').at(-1) ?? '';
  const isNumbered = /serial/.test(type) || constraints.some(({ contype }) => contype === 'CONSTR_IDENTITY');
  const isUnnamed = constraints.some(({ contype, conname }) => contype === 'CONSTR_CHECK' && !conname);
  return [
    ...when(isNumbered, 'a new column that numbers its rows: a sequence of its own, and a default'),
    ...when(isUnnamed && constraints.length > 1, 'a check of a new column with a default has a name'),
    ...constraints
      .filter(({ contype }) => contype !== 'CONSTR_FOREIGN')
      .flatMap((one) => ofConstraint(one, below)),
  ];
}

function ofConstraint(constraint: Node, below: ReadonlySet<string>): string[] {
  const { contype, indexname, keys, exclusions } = constraint;
  switch (contype) {
    case 'CONSTR_UNIQUE':
    case 'CONSTR_PRIMARY':
      // An earlier statement created the index.
      return when(!indexname && !texts({ keys }, 'keys').includes(KEY), UNIQUE);
    case 'CONSTR_EXCLUSION':
      return when(!names(exclusions).includes(KEY), UNIQUE);
    case 'CONSTR_FOREIGN':
      return ofForeignKey(constraint, below);
    default:
      return [];
  }
}

function ofForeignKey(constraint: Node, below: ReadonlySet<string>): string[] {
  const { pktable, fk_del_action: onDelete, fk_upd_action: onUpdate } = constraint;
  const target = (pktable as { relname: string }).relname;
  const hasKey = texts({ own: constraint['fk_attrs'] }, 'own').includes(KEY);
  return [
    ...when(
      below.has(target) && !hasKey,
      `a foreign key to what is below a workspace has ${KEY} among its columns`,
    ),
    ...when(
      hasKey && ['n', 'd'].includes(String(onDelete)),
      `${KEY} is not set to null or a default by a deletion`,
    ),
    ...when(
      hasKey && ['n', 'd', 'c'].includes(String(onUpdate)),
      `${KEY} is not changed by a change elsewhere`,
    ),
  ];
}

/** Whether a new table is below a workspace: the workspace is the first part of its primary key. */
function isBelow(fields: Node): boolean {
  const primary = constraintsOf(fields).find(({ contype }) => contype === 'CONSTR_PRIMARY');
  return texts({ keys: primary?.['keys'] }, 'keys')[0] === KEY;
}

/** The constraints of a new table, and of its columns, with the column as their key. */
function constraintsOf({ tableElts = [] }: Node): Node[] {
  return (tableElts as { Constraint?: Node; ColumnDef?: Node }[]).flatMap(({ Constraint, ColumnDef }) => {
    if (Constraint !== undefined) return [Constraint];
    const keys = [{ String: { sval: ColumnDef?.['colname'] } }];
    return ((ColumnDef?.['constraints'] ?? []) as { Constraint: Node }[]).map((one) => ({
      keys,
      ...one.Constraint,
    }));
  });
}

/** The names of columns of an index. */
function names(elements: unknown): string[] {
  return [...JSON.stringify(elements ?? []).matchAll(/"IndexElem":\{"name":"([^"]+)"/g)].map(
    ([, name = '']) => name,
  );
}

/** The texts of all lists with this name, at any depth. */
function texts(node: unknown, list: string): string[] {
  if (!(node instanceof Object)) return [];
  return Object.entries(node).flatMap(([name, value]: [string, unknown]) =>
    name === list && Array.isArray(value)
      ? value.map((one: { String?: { sval?: string } }) => one.String?.sval ?? '')
      : texts(value, list),
  );
}

function when(condition: unknown, what: string): string[] {
  return condition ? [what] : [];
}
