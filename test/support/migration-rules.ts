// Checks migrations against the running version of the gateway (expand, then contract), with PostgreSQL's own parser. Only statements on
// the list of harmless ones pass; every other statement needs a comment `-- checked: WHY` before it, and a migration that breaks a running
// version a name that ends in `_incompatible`.
import { parse } from 'libpg-query';
import { isIncompatible } from '../../src/store/migrations/compatibility.ts';

/** `breaks`: the running version would fail; `blocks`: it would wait, in proportion to the size of the table. */
type Harm = 'breaks' | 'blocks';
type Finding = readonly [harm: Harm, what: string];

/** A node of the parse tree: its fields, under the name of its type. */
type Node = Readonly<Record<string, unknown>>;

const CHECKED = /^\s*-- checked: \S/m;

/** Kinds of statements that change nothing that exists. */
const HARMLESS = new Set([
  ...['CreateStmt', 'CreateSeqStmt', 'AlterSeqStmt', 'CommentStmt', 'GrantStmt', 'CreateEnumStmt'],
  ...['CreateExtensionStmt', 'CreateSchemaStmt', 'ViewStmt', 'InsertStmt', 'SelectStmt', 'VariableSetStmt'],
]);

/**
 * The reasons against applying a migration while the previous version runs; empty if there are none.
 * @param name the name of its folder
 */
export async function findHarm(name: string, sql: string): Promise<string[]> {
  const { stmts = [] } = (await parse(sql)) as {
    stmts?: { stmt: Node; stmt_location?: number; stmt_len?: number }[];
  };
  const bytes = Buffer.from(sql);
  const made = new Set<string>();
  const harm: string[] = [];
  let end = 0;
  for (const { stmt, stmt_location: from = 0, stmt_len: length } of stmts) {
    const [[type = '', fields] = []] = Object.entries(stmt) as [string, Node][];
    const until = length ? from + length : bytes.length;
    // Includes the comments before the statement.
    const text = bytes.subarray(end, until).toString();
    end = until;
    if (type === 'CreateStmt') made.add(tableOf(fields));
    if (isConcurrent(type, fields) && stmts.length > 1)
      harm.push(
        `${name}: what is done concurrently has to be the only statement of its migration: ${line(text)}`,
      );
    if (CHECKED.test(text)) continue;
    for (const [kind, what] of harmOf(type, fields ?? {}, made))
      if (kind === 'blocks' || !isIncompatible(name)) harm.push(`${name}: ${what} (${kind}): ${line(text)}`);
  }
  return harm;
}

function harmOf(type: string, fields: Node, made: ReadonlySet<string>): Finding[] {
  if (made.has(tableOf(fields)) || HARMLESS.has(type)) return [];
  switch (type) {
    case 'AlterTableStmt':
      return (fields['cmds'] as { AlterTableCmd: Node }[]).flatMap(({ AlterTableCmd }) =>
        ofColumn(AlterTableCmd),
      );
    case 'IndexStmt':
      return [
        ...when(
          fields['concurrent'] !== true,
          'blocks',
          'an index is made while nobody may write: concurrently',
        ),
        ...when(fields['unique'] === true, 'breaks', 'a unique index refuses rows that were allowed'),
      ];
    case 'CreateFunctionStmt':
      return when(
        fields['replace'] === true,
        'breaks',
        'a function is replaced under a version that calls it',
      );
    case 'DropStmt':
      return fields['removeType'] === 'OBJECT_INDEX'
        ? when(
            fields['concurrent'] !== true,
            'blocks',
            'an index is dropped while nobody may read: concurrently',
          )
        : [['breaks', 'something is dropped that a running version may use']];
    case 'RenameStmt':
      return [['breaks', 'something is renamed that a running version may use']];
    case 'UpdateStmt':
    case 'DeleteStmt':
      return [['blocks', 'rows of a table that is there are changed all at once']];
    default:
      return [['breaks', `${type} is not known to be harmless`]];
  }
}

/** The harm of one part of ALTER TABLE. */
function ofColumn({ subtype, def, behavior: _, ...rest }: Node): Finding[] {
  const definition = Object.values((def ?? {}) as Node)[0] as Node | undefined;
  switch (subtype) {
    case 'AT_AddColumn':
      return ofNewColumn(definition?.['constraints'] as { Constraint: Node }[] | undefined);
    case 'AT_AddConstraint':
      return [
        ['breaks', 'a constraint refuses rows that were allowed'],
        ...when(
          definition?.['skip_validation'] !== true,
          'blocks',
          'a constraint is checked at once: not valid',
        ),
      ];
    case 'AT_ColumnDefault':
      return when(def === undefined, 'breaks', 'a default is dropped that a running version may rely on');
    case 'AT_SetNotNull':
      return [
        ['breaks', 'null is refused where a running version may write it'],
        ['blocks', 'every row is checked for null: a valid check constraint first'],
      ];
    case 'AT_DropNotNull':
      return [['breaks', 'a running version may read null where it expects none']];
    case 'AT_AlterColumnType':
      return [
        ['breaks', 'a column has another type than a running version knows'],
        ['blocks', 'the table is written anew'],
      ];
    case 'AT_DropColumn':
      return [['breaks', 'a column is dropped that a running version may use']];
    case 'AT_ValidateConstraint':
    case 'AT_SetStatistics':
    case 'AT_SetRelOptions':
      return [];
    default:
      return [['breaks', `${subtype} ${String(rest['name'] ?? '')} is not known to be harmless`]];
  }
}

function ofNewColumn(constraints: readonly { Constraint: Node }[] = []): Finding[] {
  const of = (type: string) =>
    constraints.find(({ Constraint }) => Constraint['contype'] === type)?.Constraint;
  const byDefault = of('CONSTR_DEFAULT');
  const isVolatile = byDefault !== undefined && /"FuncCall"/.test(JSON.stringify(byDefault['raw_expr']));
  const others = constraints.filter(
    ({ Constraint: { contype } }) =>
      !['CONSTR_DEFAULT', 'CONSTR_NOTNULL', 'CONSTR_NULL'].includes(String(contype)),
  );
  return [
    ...when(
      of('CONSTR_NOTNULL') && !byDefault,
      'breaks',
      'a new column is required that running versions leave out',
    ),
    ...when(isVolatile || others.length > 0, 'blocks', 'a new column has every row written or checked'),
  ];
}

function when(condition: unknown, harm: Harm, what: string): Finding[] {
  return condition ? [[harm, what]] : [];
}

function isConcurrent(type: string, fields: Node | undefined): boolean {
  return ['IndexStmt', 'DropStmt'].includes(type) && fields?.['concurrent'] === true;
}

function tableOf(fields: Node | undefined): string {
  const relation = fields?.['relation'] as { relname?: string } | undefined;
  return relation?.relname ?? '';
}

/** A statement's first line, without the comments before it. */
function line(text: string): string {
  return (
    text
      .replaceAll(/^;|^\s*--.*$/gm, '')
      .trim()
      .split('\n')[0] ?? ''
  );
}
