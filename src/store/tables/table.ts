// What the hand-written reads and changes need to know of a noun's table: its columns, what its rows are below, which of them exist to
// the outside, and whose they are. Conditions are SQL over alias `t`.
import { parentKeyOf, type Resource, toSnakeCase } from '../../resources/resource.ts';
import type { Columns } from '../../rows/columns.ts';
import { type Match, type TableFilter, tableFilters } from '../sql/filters.ts';
import { type PublicIdTable, TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Owning } from '../tenancy/row-owners.ts';

/** What a table's rows are below: the column that names the parent, the table that it names, and what that is called. */
interface ParentLink {
  readonly table: PublicIdTable;
  readonly column: string;
  readonly title: string;
}

/** Which rows exist, and whose they are. */
interface Ownership {
  readonly parent: ParentLink;
  /** The rows that exist to the outside. */
  readonly visible: string;
  /** The properties that say whose a row is: they are read of every row. */
  readonly owners: Readonly<Record<string, Owning>>;
  /** The caller's own rows, given placeholders for the team and for the workspaces that the caller is narrowed to. */
  readonly owned: (team: string, workspace: string) => string;
  /** What narrowing still leaves out below a parent that is the caller's own. */
  readonly narrowed: (workspace: string) => string;
}

/** A readable table. The type parameter is the row that its columns make. */
export interface Table<R extends { id: bigint }> extends Ownership {
  readonly name: PublicIdTable;
  /** What a row is called in a sentence. */
  readonly title: string;
  readonly resource: Resource;
  readonly columns: Columns;
  /** For the compiler alone: there is no such property. */
  readonly row?: R;
  /** What its lists can be filtered by. */
  readonly filters: readonly TableFilter[];
}

/** What is special of a noun's table. */
export interface Special<R extends Resource = Resource> extends Partial<Ownership> {
  /** The SQL of fields that are no column of the table by their own name. */
  readonly computed?: { readonly [Property in keyof R['fields']]?: string };
  /** How rows are compared with the values of those filters that are not simply equality with a field. */
  readonly matches?: { readonly [Property in keyof R['filters']]?: Match };
}

/** The table of a noun. */
export function makeTable(
  noun: Resource & { readonly table: PublicIdTable },
  { computed = {}, matches = {}, ...special }: Special = {},
): Table<{ id: bigint }> {
  const ownership = { ...(special.parent === undefined && belowParent(noun)), ...special } as Ownership;
  return {
    name: noun.table,
    title: noun.title,
    resource: noun,
    columns: { ...columnsOf(noun, computed), ...columnsOfOwners(noun, ownership.owners) },
    filters: tableFilters(noun, computed, matches),
    ...ownership,
  };
}

/** Whose rows are below a parent, where nothing is special. */
function belowParent(noun: Resource): Ownership {
  const { parent } = noun;
  if (parent === undefined)
    throw new TypeError(`A ${noun.title} is below nothing, and nobody says whose it is.`);
  const link = {
    table: parent.table as PublicIdTable,
    column: toSnakeCase(parentKeyOf(noun)),
    title: parent.title,
  };
  return { parent: link, visible: 'true', ...(link.table === 'teams' ? OF_TEAM : OF_WORKSPACE) };
}

/** Below a workspace, or below something that is: the parent being the caller's own is enough. */
const OF_WORKSPACE: Omit<Ownership, 'parent' | 'visible'> = {
  owners: { workspaceId: 'workspace' },
  owned: (team, workspaces) => ownedWorkspace('t.workspace_id', team, workspaces),
  narrowed: () => 'true',
};

/** The team's own, such as its credentials: nothing of them for a caller who is narrowed to some of its workspaces. */
const OF_TEAM: Omit<Ownership, 'parent' | 'visible'> = {
  owners: { teamId: 'whole team' },
  owned: (team, workspaces) => `t.team_id = ${team} and ${workspaces}::bigint[] is null`,
  narrowed: (workspaces) => `${workspaces}::bigint[] is null`,
};

/** The columns that a noun is read by. */
export function columnsOf<R extends Resource>(
  { fields }: R,
  computed: { readonly [Property in keyof R['fields']]?: string } = {},
): Columns {
  const sqlOf: Readonly<Record<string, string | undefined>> = computed;
  return Object.fromEntries(
    Object.entries(fields).map(([property, { type, items, object }]) => {
      const sql = sqlOf[property];
      return [
        property,
        { type, ...(items && { items }), ...(object && { object }), ...(sql !== undefined && { sql }) },
      ];
    }),
  );
}

/** The workspace that a row is in, where its description does not say it. */
export const WORKSPACE_COLUMN = { workspaceId: { type: 'int8', sql: 't.workspace_id' } } as const;

/** SQL over alias `t` with the workspace said inside the subqueries of columns too, where it is not inferred. */
export function withWorkspace(sql: string, workspace: string): string {
  return sql.replaceAll('= t.workspace_id', `= ${workspace}`);
}

function columnsOfOwners({ fields }: Resource, owners: Ownership['owners']): Columns {
  return 'workspaceId' in owners && !('workspaceId' in fields) ? WORKSPACE_COLUMN : {};
}

/**
 * That a workspace is the caller's own. A scalar subquery is no join: the planner cannot begin with the team's workspaces,
 * and one that does not depend on `t` is asked once, before any row. What the caller is narrowed to stands beside it: in a
 * distributed store that says which shards are asked.
 */
export const ownedWorkspace = (id: string, team: string, narrowed: string): string =>
  `((select true from workspaces w where w.id = ${id} and w.team_id = ${team})
    and (${narrowed}::bigint[] is null or ${id} = any(${narrowed})))`;

/** The public id of another table's row, of which only the id is at hand. */
export function publicIdOf(table: PublicIdTable, id: string): string {
  return `public_id(${TYPE_NUMBER[table]}, ${id})`;
}
