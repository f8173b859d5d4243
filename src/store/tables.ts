// What the hand-written reads need to know of each table: columns, what is visible, and where it hangs.
import type { Column } from '../columns.ts';
import type {
  Contact,
  Funnel,
  FunnelStep,
  Page,
  RefineFilter,
  Team,
  WebhookEndpoint,
  Workspace,
} from './generated/client.ts';
import type { PublicIdTable } from './public-ids.ts';

/** A tag as it stands on a contact or funnel, in the names of its columns. */
interface AppliedTag {
  /** A bigint beyond 2^53. */
  readonly id: number | bigint;
  readonly public_id: string;
  readonly name: string;
  readonly color: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly applied_at: string;
}

export type TeamRow = Pick<
  Team,
  'id' | 'publicId' | 'name' | 'timeZone' | 'locale' | 'createdAt' | 'updatedAt'
>;
export type WorkspaceRow = Pick<
  Workspace,
  'id' | 'publicId' | 'teamId' | 'name' | 'subdomain' | 'createdAt' | 'updatedAt'
>;
export type ContactRow = Omit<Contact, 'customAttributes'> & {
  customAttributes: Record<string, string>;
  /** May be written to: an e-mail address, not unsubscribed, nothing that suppresses e-mail. */
  isActive: boolean;
  tags: AppliedTag[];
};
export type FunnelRow = Funnel & { tags: AppliedTag[] };
export type PageRow = Omit<Page, 'discardedAt' | 'discardReason'>;
export type RefineFilterRow = Omit<RefineFilter, 'criteria'> & { criteria: Criterion[] };
export type WebhookEndpointRow = WebhookEndpoint;
export type SplitRow = Omit<
  FunnelStep,
  | 'kind'
  | 'pageId'
  | 'removedAt'
  | 'removalReason'
  | 'workspaceId'
  | 'parentId'
  | 'parentKind'
  | 'siblingList'
  | 'branch'
  | 'position'
> & { funnelPublicId: string; filterPublicId: string | null };

/** One condition of a saved filter. */
export interface Criterion {
  readonly attribute: string;
  readonly clause: string;
  readonly value?: unknown;
}

/** Where a table's rows hang: the column that names the parent, and the table that it names. */
interface ParentLink {
  readonly table: 'teams' | 'workspaces' | 'funnels';
  readonly column: string;
}

/** A readable table. The type parameter is the row that its columns make. Conditions are over alias `t`. */
export interface Table<Row extends { id: bigint }> {
  readonly name: PublicIdTable;
  readonly columns: Readonly<Record<keyof Row & string, Column>>;
  readonly parent: ParentLink;
  /** The rows that exist to the outside. */
  readonly visible: string;
  /** The caller's own rows, given placeholders for the team and for the workspaces that the caller is narrowed to. */
  readonly owned: (team: string, workspace: string) => string;
  /** What narrowing still leaves out below a parent that is the caller's own. */
  readonly narrowed: (workspace: string) => string;
}

/**
 * That a workspace is the caller's own. A scalar subquery is no join: the planner cannot begin with the team's workspaces,
 * and one that does not depend on `t` is asked once, before any row.
 */
export const ownedWorkspace = (id: string, team: string, narrowed: string): string =>
  `(select true from workspaces w where w.id = ${id} and w.team_id = ${team}
    and (${narrowed}::bigint[] is null or w.id = any(${narrowed})))`;

/** What is common to all that hangs below a workspace: its parent being owned is enough. */
const BELOW_WORKSPACE = {
  parent: { table: 'workspaces', column: 'workspace_id' },
  visible: 'true',
  owned: (team: string, workspace: string) => ownedWorkspace('t.workspace_id', team, workspace),
  narrowed: () => 'true',
} as const;

const tagsOf = (table: string, column: string): Column => ({
  type: 'json',
  sql: `(select coalesce('[' || string_agg('{"id":' || g.id || ',"public_id":"' || g.public_id || '","name":' || to_json(g.name)
    || ',"color":' || to_json(g.color) || ',"applied_at":"'
    || to_char(a.applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"}', ',' order by g.id) || ']', '[]')
    from ${table} a join tags g on g.workspace_id = a.workspace_id and g.id = a.tag_id
    where a.workspace_id = t.workspace_id and a.${column} = t.id)`,
});

/** The columns that every noun begins and ends with. */
const IDS = { id: 'int8', publicId: 'text' } as const;
const TIMESTAMPS = { createdAt: 'timestamp', updatedAt: 'timestamp' } as const;

const teamOf = (workspace: string) =>
  `(${workspace}::bigint[] is null or exists (select from workspaces w where w.id = any(${workspace}) and w.team_id = t.id))`;

const itself = (workspace: string) => `(${workspace}::bigint[] is null or t.id = any(${workspace}))`;

export const TEAMS: Table<TeamRow> = {
  name: 'teams',
  columns: { ...IDS, name: 'text', timeZone: 'text', locale: 'text', ...TIMESTAMPS },
  // The list of teams is the caller's own team: it hangs under itself.
  parent: { table: 'teams', column: 'id' },
  visible: 'true',
  owned: (team, workspace) => `t.id = ${team} and ${teamOf(workspace)}`,
  narrowed: teamOf,
};

export const WORKSPACES: Table<WorkspaceRow> = {
  name: 'workspaces',
  columns: { ...IDS, teamId: 'int8', name: 'text', subdomain: 'text', ...TIMESTAMPS },
  parent: { table: 'teams', column: 'team_id' },
  visible: 'true',
  owned: (team, workspace) => `t.team_id = ${team} and ${itself(workspace)}`,
  narrowed: itself,
};

export const CONTACTS: Table<ContactRow> = {
  name: 'contacts',
  columns: {
    ...IDS,
    workspaceId: 'int8',
    uuid: 'text',
    anonymous: 'bool',
    emailAddress: 'text',
    firstName: 'text',
    lastName: 'text',
    phoneNumber: 'text',
    timeZone: 'text',
    unsubscribedAt: 'timestamp',
    lastNotificationEmailSentAt: 'timestamp',
    emailSuppressionReason: 'text',
    isActive: {
      type: 'bool',
      sql: '(t.email_address is not null and t.unsubscribed_at is null and t.email_suppression_reason is null)',
    },
    fbUrl: 'text',
    twitterUrl: 'text',
    instagramUrl: 'text',
    linkedinUrl: 'text',
    websiteUrl: 'text',
    customAttributes: 'jsonb',
    ...TIMESTAMPS,
    tags: tagsOf('contact_tags', 'contact_id'),
  },
  ...BELOW_WORKSPACE,
};

export const FUNNELS: Table<FunnelRow> = {
  name: 'funnels',
  columns: {
    ...IDS,
    workspaceId: 'int8',
    name: 'text',
    archived: 'bool',
    currentPath: 'text',
    liveMode: 'bool',
    customDomainId: 'int8',
    ...TIMESTAMPS,
    tags: tagsOf('funnel_tags', 'funnel_id'),
  },
  ...BELOW_WORKSPACE,
};

export const PAGES: Table<PageRow> = {
  name: 'pages',
  columns: { ...IDS, workspaceId: 'int8', name: 'text', currentPath: 'text', ...TIMESTAMPS },
  ...BELOW_WORKSPACE,
  visible: 't.discarded_at is null',
};

export const REFINE_FILTERS: Table<RefineFilterRow> = {
  name: 'refine_filters',
  columns: {
    ...IDS,
    workspaceId: 'int8',
    name: 'text',
    filterClass: 'text',
    conjunction: 'text',
    criteria: 'jsonb',
    ...TIMESTAMPS,
  },
  ...BELOW_WORKSPACE,
};

export const WEBHOOK_ENDPOINTS: Table<WebhookEndpointRow> = {
  name: 'webhook_endpoints',
  columns: {
    ...IDS,
    workspaceId: 'int8',
    url: 'text',
    name: 'text',
    eventTypeIds: 'text[]',
    apiVersion: 'int4',
    pageIds: 'int8[]',
    funnelIds: 'int8[]',
    ...TIMESTAMPS,
  },
  ...BELOW_WORKSPACE,
};

export const SPLITS: Table<SplitRow> = {
  name: 'funnel_steps',
  columns: {
    ...IDS,
    funnelId: 'int8',
    name: 'text',
    filterId: 'int8',
    ...TIMESTAMPS,
    funnelPublicId: { type: 'text', sql: 'public_id(7, t.funnel_id)' },
    filterPublicId: { type: 'text', sql: 'public_id(5, t.filter_id)' },
  },
  ...BELOW_WORKSPACE,
  parent: { table: 'funnels', column: 'funnel_id' },
  visible: "t.kind = 'conditional_split' and t.removed_at is null",
};
