// What the hand-written reads need to know of each table beyond the description of its noun: what is computed, what is
// visible, and where it hangs. Conditions are over alias `t`.

import { appliedTag } from '../../resources/applied-tags.ts';
import { auditEntry } from '../../resources/audit-entries.ts';
import { contact } from '../../resources/contacts.ts';
import { conditionalSplit } from '../../resources/funnel-steps.ts';
import { funnel } from '../../resources/funnels.ts';
import { page } from '../../resources/pages.ts';
import { refineFilter } from '../../resources/refine-filters.ts';
import type { Fields, IDS, Resource, Row } from '../../resources/resource.ts';
import { tag } from '../../resources/tags.ts';
import { team } from '../../resources/teams.ts';
import { webhookDelivery } from '../../resources/webhook-deliveries.ts';
import { webhookEndpoint } from '../../resources/webhook-endpoints.ts';
import { webhookEvent } from '../../resources/webhook-events.ts';
import { workspace } from '../../resources/workspaces.ts';
import type { Columns } from '../../rows/columns.ts';
import { emailKey } from '../sql/email-key.ts';
import { entryErasedAt, isErasedEntry, isErasedEvent, unlessErased } from '../sql/erased.ts';
import { type Match, type TableFilter, tableFilters } from '../sql/filters.ts';
import { type PublicIdTable, TYPE_NUMBER } from '../sql/public-ids.ts';
import { contactOfApplied, tagOfApplied, tagsOf } from '../sql/tags.ts';
import type { Owning } from '../tenancy/row-owners.ts';

/** Where a table's rows hang: the column that names the parent, the table that it names, and what that is called. */
interface ParentLink {
  readonly table: PublicIdTable;
  readonly column: string;
  readonly title: string;
}

/** A readable table. The type parameter is the row that its columns make. */
export interface Table<R extends { id: bigint }> {
  readonly name: PublicIdTable;
  /** What a row is called in a sentence. */
  readonly title: string;
  readonly resource: Resource;
  readonly columns: Columns;
  /** For the compiler alone: there is no such property. */
  readonly row?: R;
  /** What its lists can be filtered by. */
  readonly filters: readonly TableFilter[];
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

type Hanging = Pick<Table<{ id: bigint }>, 'parent' | 'visible' | 'owners' | 'owned' | 'narrowed'>;

/** The tables that there are: their names are part of the names of statements. */
const tables = new Map<string, Table<{ id: bigint }>>();

/** The table of this name, where it has lists. */
export function tableNamed(name: PublicIdTable): Table<{ id: bigint }> | undefined {
  return tables.get(name);
}

/** The tables whose rows hang below those of another one. */
export function tablesBelow(name: PublicIdTable): Table<{ id: bigint }>[] {
  return [...tables.values()].filter(({ parent }) => parent.table === name);
}

/**
 * A noun's table, the only one of its name.
 * @param computed the SQL of fields that are no column of the table by their own name
 * @param matches how rows are compared with the values of those filters that are not simply equality with a field
 */
export function tableOf<
  R extends Resource<Fields & Pick<typeof IDS, 'id'>> & { readonly table: PublicIdTable },
>(
  resource: R,
  hanging: Hanging,
  computed: { readonly [Property in keyof R['fields']]?: string } = {},
  matches: { readonly [Property in keyof R['filters']]?: Match } = {},
): Table<Row<R> & { id: bigint }> {
  if (tables.has(resource.table)) throw new Error(`There are two tables ${resource.table}.`);
  const table = {
    name: resource.table,
    title: resource.title,
    resource,
    columns: { ...columnsOf(resource, computed), ...columnsOfOwners(resource, hanging.owners) },
    filters: tableFilters(resource, computed, matches),
    ...hanging,
  };
  tables.set(resource.table, table);
  return table;
}

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

function columnsOfOwners({ fields }: Resource, owners: Hanging['owners']): Columns {
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
function publicIdOf(table: PublicIdTable, id: string): string {
  return `public_id(${TYPE_NUMBER[table]}, ${id})`;
}

/** Below a workspace, or below something that is: the parent being the caller's own is enough. @param column names the parent */
function below(
  { table, title }: Pick<Resource, 'title'> & { readonly table: PublicIdTable },
  column: string,
): Hanging {
  return {
    parent: { table, column, title },
    visible: 'true',
    owners: { workspaceId: 'workspace' },
    owned: (team, workspaces) => ownedWorkspace('t.workspace_id', team, workspaces),
    narrowed: () => 'true',
  };
}

const OF_WORKSPACE = below(workspace, 'workspace_id');

const teamOf = (workspace: string) =>
  `(${workspace}::bigint[] is null or exists (select from workspaces w where w.id = any(${workspace}) and w.team_id = t.id))`;

const itself = (workspace: string) => `(${workspace}::bigint[] is null or t.id = any(${workspace}))`;

export const TEAMS = tableOf(team, {
  // The list of teams is the caller's own team: it hangs under itself.
  parent: { table: 'teams', column: 'id', title: team.title },
  visible: 'true',
  owners: { id: 'team' },
  owned: (team, workspace) => `t.id = ${team} and ${teamOf(workspace)}`,
  narrowed: teamOf,
});

export const WORKSPACES = tableOf(workspace, {
  parent: { table: 'teams', column: 'team_id', title: team.title },
  visible: 'true',
  owners: { teamId: 'team', id: 'narrowed workspace' },
  owned: (team, workspace) => `t.team_id = ${team} and ${itself(workspace)}`,
  narrowed: itself,
});

export const CONTACTS = tableOf(
  contact,
  OF_WORKSPACE,
  {
    isActive:
      '(t.email_address is not null and t.unsubscribed_at is null and t.email_suppression_reason is null)',
    tags: tagsOf('contact_tags', 'contact_id'),
  },
  {
    emailAddress: { key: emailKey('t.email_address'), keyOf: emailKey },
    tagIds: { table: 'contact_tags', row: 'contact_id', value: 'tag_id' },
  },
);

export const TAGS = tableOf(tag, OF_WORKSPACE);

export const APPLIED_TAGS = tableOf(appliedTag, below(contact, 'contact_id'), {
  createdAt: 't.applied_at',
  updatedAt: 't.applied_at',
  tag: tagOfApplied(),
  contact: contactOfApplied('contacts'),
});

export const AUDIT_ENTRIES = tableOf(auditEntry, OF_WORKSPACE, {
  before: unlessErased('t.before', isErasedEntry('t')),
  after: unlessErased('t.after', isErasedEntry('t')),
  erasedAt: entryErasedAt('t'),
});

export const FUNNELS = tableOf(funnel, OF_WORKSPACE, {
  faviconImageId: 'null::text',
  tags: tagsOf('funnel_tags', 'funnel_id'),
});

export const PAGES = tableOf(page, { ...OF_WORKSPACE, visible: 't.discarded_at is null' });

export const REFINE_FILTERS = tableOf(refineFilter, OF_WORKSPACE);

export const WEBHOOK_ENDPOINTS = tableOf(webhookEndpoint, OF_WORKSPACE);

/** The page or funnel where something happened; null where it is gone. */
function placeOf(table: 'pages' | 'funnels', column: string): string {
  return `(select to_json(v) from (select p.id, p.public_id, p.name from ${table} p
    where p.workspace_id = t.workspace_id and p.id = t.${column}) v)`;
}

export const WEBHOOK_EVENTS = tableOf(webhookEvent, OF_WORKSPACE, {
  eventTypeId: 't.event_type',
  data: unlessErased('t.data', isErasedEvent('t')),
  page: placeOf('pages', 'page_id'),
  funnel: placeOf('funnels', 'funnel_id'),
});

const OF_ENDPOINT = below(webhookEndpoint, 'endpoint_id');

export const WEBHOOK_DELIVERIES = tableOf(
  webhookDelivery,
  {
    ...OF_ENDPOINT,
    // No foreign key removes those of an endpoint that was deleted: until they are cleaned away they are nobody's.
    owned: (
      team,
      workspaces,
    ) => `${OF_ENDPOINT.owned(team, workspaces)} and (select true from webhook_endpoints e
      where e.workspace_id = t.workspace_id and e.id = t.endpoint_id)`,
  },
  { eventTypeId: 't.event_type' },
);

/** The public id of the saved filter that a split names. */
export const FILTER_PUBLIC_ID = publicIdOf('refine_filters', 't.filter_id');

export const SPLITS = tableOf(
  conditionalSplit,
  {
    ...below(funnel, 'funnel_id'),
    visible: "t.kind = 'conditional_split' and t.removed_at is null",
  },
  {
    filterPublicId: FILTER_PUBLIC_ID,
    funnelPublicId: publicIdOf('funnels', 't.funnel_id'),
  },
);
