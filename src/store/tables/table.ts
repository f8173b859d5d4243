// Describes a noun's table for reads and changes: its columns, its parent, which rows are visible to clients, and who owns them. Conditions
// are SQL over the alias `t`.
import { parentKeyOf } from '../../resources/description/ancestors.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import type { Columns } from '../../rows/columns.ts';
import { type TableFilter, tableFilters } from '../sql/filters.ts';
import type { Match, PairMatch } from '../sql/matches.ts';
import { visibleBelowContact, withHidden } from '../sql/personal-data.ts';
import { type PublicIdTable, TYPE_NUMBER } from '../sql/public-ids.ts';
import type { OwnerKind } from '../tenancy/row-owners.ts';

/** The parent of a table's rows: the column that refers to it, its table, and its title. */
interface ParentLink {
  readonly table: PublicIdTable;
  readonly column: string;
  readonly title: string;
  /** The same table if the parent is in a workspace and has the column `workspace_id`; null for a workspace or a team. */
  readonly nestedIn: Exclude<PublicIdTable, 'teams' | 'workspaces'> | null;
}

/** The parent that a column refers to. */
export function parentLink({ table, column, title }: Omit<ParentLink, 'nestedIn'>): ParentLink {
  const isNested = table !== 'teams' && table !== 'workspaces';
  return { table, column, title, nestedIn: isNested ? table : null };
}

/** Which rows are visible, and who owns them. */
interface Ownership {
  readonly parent: ParentLink;
  /** The rows that are visible to clients. */
  readonly visible: string;
  /** The properties that identify a row's owner. They are read with every row. */
  readonly owners: Readonly<Record<string, OwnerKind>>;
  /**
   * The condition for rows that the caller owns, from placeholders for the team and for the workspaces to which the caller is restricted.
   * @param workspace the SQL of the row's workspace; absent: the row's own column
   */
  readonly owned: (team: string, workspaces: string, workspace?: string) => string;
  /** A further condition for callers restricted to some workspaces, on rows whose parent the caller owns. */
  readonly narrowed: (workspace: string) => string;
}

/** A readable table. The type parameter is the row type of its columns. */
export interface Table<R extends { id: bigint }> extends Ownership {
  readonly name: PublicIdTable;
  /** The row's name in a sentence. */
  readonly title: string;
  readonly resource: Resource;
  readonly columns: Columns;
  /** Columns with rows of other tables, which are read only if a projection selects properties of these. */
  readonly below?: Columns;
  /**
   * Rows below one parent become visible in the order of their ids, because each is created while its parent is locked. Lists below the
   * parent need no high-water mark.
   */
  readonly commitsInOrder: boolean;
  /** The name of its lists in the names of statements, if they are not below its parent. */
  readonly listName?: string;
  /** What pairs the rows of lists with the objects that have the lists, by the names that descriptions have for it. */
  readonly pairs: Readonly<Record<string, PairMatch | undefined>>;
  /** Pairs the rows of a list with the parent's id. Absent: the rows themselves have it, in the column of `parent`. */
  readonly paired?: PairMatch;
  /** Carries the type parameter; no value has this property. */
  readonly row?: R;
  /** The filters of its lists. */
  readonly filters: readonly TableFilter[];
  /** How filters and saved filters compare properties, if not by equality with a column. */
  readonly matches: Readonly<Record<string, Match | undefined>>;
}

/** The parts of a noun's table that its description does not determine. */
export interface Special<R extends Resource = Resource> extends Partial<Ownership> {
  /** The SQL of fields that are not columns of the same name. */
  readonly computed?: { readonly [Property in keyof R['fields']]?: string };
  readonly below?: Columns;
  /** Set for rows that are created by their own service while their parent is locked. */
  readonly commitsInOrder?: true;
  /** What pairs its rows with the objects of another noun that have a list of them, if no filter does. */
  readonly pairs?: Readonly<Record<string, PairMatch>>;
  /** How filters and saved filters compare, if not by equality with a field. */
  readonly matches?: { readonly [Property in keyof R['filters'] | keyof R['fields']]?: Match };
}

/** A noun with the parts of its table from its own file. */
export interface OwnTable<R extends Resource = Resource> extends Special {
  readonly noun: R;
}

/** Defines the parts of a noun's table that its description does not determine. */
export function ownTable<R extends Resource>(noun: R, special: Special<R>): OwnTable<R> {
  return { ...(special as Special), noun };
}

/** Makes the table of a noun. */
export function makeTable(
  noun: Resource & { readonly table: PublicIdTable },
  {
    computed = {},
    below,
    pairs = {},
    matches = {},
    commitsInOrder,
    noun: _,
    ...special
  }: Special & Partial<OwnTable> = {},
): Table<{ id: bigint }> {
  const ownership = { ...(special.parent === undefined && belowParent(noun)), ...special } as Ownership;
  return {
    name: noun.table,
    title: noun.title,
    resource: noun,
    columns: {
      ...withHidden(noun, columnsOf(noun, computed)),
      ...columnsOfOwners(noun, ownership.owners),
    },
    ...(below && { below }),
    filters: tableFilters(noun, computed, matches),
    matches,
    pairs,
    commitsInOrder: commitsInOrder ?? locksParent(noun),
    ...ownership,
  };
}

/**
 * Whether the noun's changes lock the parent before they create a row. They do not lock a workspace or a team, because all creations would
 * wait for each other.
 */
export function locksParent({ parent, verbs = [] }: Resource): boolean {
  return parent !== undefined && !['teams', 'workspaces'].includes(parent.table) && verbs.includes('create');
}

/** The default ownership of rows, from their parent. */
function belowParent(noun: Resource): Ownership {
  const { parent } = noun;
  if (parent === undefined) throw new TypeError(`${noun.title} has no parent. Pass the owners of its rows.`);
  const link = parentLink({
    table: parent.table as PublicIdTable,
    column: toSnakeCase(parentKeyOf(noun)),
    title: parent.title,
  });
  return {
    parent: link,
    visible: visibleBelowContact(noun),
    ...(link.table === 'teams' ? OF_TEAM : OF_WORKSPACE),
  };
}

/** Rows in a workspace. It suffices that the caller owns the parent. */
const OF_WORKSPACE: Omit<Ownership, 'parent' | 'visible'> = {
  owners: { workspaceId: 'workspace' },
  owned: (team, workspaces, workspace = 't.workspace_id') => ownedWorkspace(workspace, team, workspaces),
  narrowed: () => 'true',
};

/** Rows of the team itself, such as credentials. Callers restricted to some workspaces see none of them. */
const OF_TEAM: Omit<Ownership, 'parent' | 'visible'> = {
  owners: { teamId: 'whole team' },
  owned: (team, workspaces) => `t.team_id = ${team} and ${workspaces}::bigint[] is null`,
  narrowed: (workspaces) => `${workspaces}::bigint[] is null`,
};

/** The columns that reads select of a noun. */
export function columnsOf<R extends Pick<Resource, 'fields'>>(
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

/** The column of the row's workspace, for descriptions without it. */
export const WORKSPACE_COLUMN = { workspaceId: { type: 'int8', sql: 't.workspace_id' } } as const;

function columnsOfOwners({ fields }: Resource, owners: Ownership['owners']): Columns {
  return 'workspaceId' in owners && !('workspaceId' in fields) ? WORKSPACE_COLUMN : {};
}

/**
 * The condition that the caller owns a workspace. A scalar subquery cannot become a join, so the planner cannot start with the team's
 * workspaces. If it does not depend on `t`, it is evaluated once, before any row. The restriction to workspaces is a separate condition,
 * because it may select where rows are read (shard-placement/). The alias is one that no `id` can mean.
 */
export const ownedWorkspace = (id: string, team: string, narrowed: string): string =>
  `((select true from workspaces owned_one where owned_one.id = ${id} and owned_one.team_id = ${team})
    and (${narrowed}::bigint[] is null or ${id} = any(${narrowed})))`;

/** SQL of the ids of a list that still exist, in their order. No foreign key removes the others. */
export function existingIds(table: PublicIdTable, ids: string): string {
  return `array(select e.id from unnest(${ids}) with ordinality i (id, place)
    join ${table} e on e.workspace_id = $row_workspace and e.id = i.id order by i.place)`;
}

/** SQL of the public id of another table's row, from its id alone. */
export function publicIdOf(table: PublicIdTable, id: string): string {
  return `public_id(${TYPE_NUMBER[table]}, ${id})`;
}
