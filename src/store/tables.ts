// What the hand-written reads need to know of each table: columns, what is visible, and where it hangs.
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

/** A tag as it stands on a contact or funnel. Ids are digits: JSON would round them. */
interface AppliedTag {
  readonly id: string;
  readonly publicId: string;
  readonly name: string;
  readonly color: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly appliedAt: string;
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
  'kind' | 'pageId' | 'removedAt' | 'removalReason' | 'workspaceId' | 'parentId' | 'branch' | 'position'
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
  readonly name: string;
  /** Select list; the aliases are the row's property names. */
  readonly columns: string;
  readonly parent: ParentLink;
  /** The rows that exist to the outside. */
  readonly visible: string;
  /** The caller's own rows, given placeholders for the team and for the workspace that the host narrows to. */
  readonly owned: (team: string, workspace: string) => string;
  /** What narrowing still leaves out below a parent that is the caller's own. */
  readonly narrowed: (workspace: string) => string;
  /** Only carries the type. */
  readonly row?: Row;
}

/** What is common to all that hangs below a workspace: its parent being owned is enough. */
const BELOW_WORKSPACE = {
  parent: { table: 'workspaces', column: 'workspace_id' },
  visible: 'true',
  owned: (team: string, workspace: string) =>
    `exists (select from workspaces w where w.id = t.workspace_id and w.team_id = ${team}
      and (${workspace}::bigint is null or w.id = ${workspace}))`,
  narrowed: () => 'true',
} as const;

const tagsOf = (table: string, column: string) =>
  `(select coalesce(json_agg(json_build_object('id', g.id::text, 'publicId', g.public_id, 'name', g.name, 'color', g.color,
    'appliedAt', to_char(a.applied_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) order by g.id), '[]')
    from ${table} a join tags g on g.id = a.tag_id where a.${column} = t.id) as "tags"`;

const TIMESTAMPS = 't.created_at as "createdAt", t.updated_at as "updatedAt"';

const teamOf = (workspace: string) =>
  `(${workspace}::bigint is null or exists (select from workspaces w where w.id = ${workspace} and w.team_id = t.id))`;

const itself = (workspace: string) => `(${workspace}::bigint is null or t.id = ${workspace})`;

export const TEAMS: Table<TeamRow> = {
  name: 'teams',
  columns: `t.id, t.public_id as "publicId", t.name, t.time_zone as "timeZone", t.locale, ${TIMESTAMPS}`,
  // The list of teams is the caller's own team: it hangs under itself.
  parent: { table: 'teams', column: 'id' },
  visible: 'true',
  owned: (team, workspace) => `t.id = ${team} and ${teamOf(workspace)}`,
  narrowed: teamOf,
};

export const WORKSPACES: Table<WorkspaceRow> = {
  name: 'workspaces',
  columns: `t.id, t.public_id as "publicId", t.team_id as "teamId", t.name, t.subdomain, ${TIMESTAMPS}`,
  parent: { table: 'teams', column: 'team_id' },
  visible: 'true',
  owned: (team, workspace) => `t.team_id = ${team} and ${itself(workspace)}`,
  narrowed: itself,
};

export const CONTACTS: Table<ContactRow> = {
  name: 'contacts',
  columns: `t.id, t.public_id as "publicId", t.workspace_id as "workspaceId", t.uuid, t.anonymous,
    t.email_address as "emailAddress", t.first_name as "firstName", t.last_name as "lastName",
    t.phone_number as "phoneNumber", t.time_zone as "timeZone", t.unsubscribed_at as "unsubscribedAt",
    t.last_notification_email_sent_at as "lastNotificationEmailSentAt",
    t.email_suppression_reason as "emailSuppressionReason", t.fb_url as "fbUrl", t.twitter_url as "twitterUrl",
    t.instagram_url as "instagramUrl", t.linkedin_url as "linkedinUrl", t.website_url as "websiteUrl",
    t.custom_attributes as "customAttributes",
    (t.email_address is not null and t.unsubscribed_at is null and t.email_suppression_reason is null) as "isActive",
    ${TIMESTAMPS}, ${tagsOf('contact_tags', 'contact_id')}`,
  ...BELOW_WORKSPACE,
};

export const FUNNELS: Table<FunnelRow> = {
  name: 'funnels',
  columns: `t.id, t.public_id as "publicId", t.workspace_id as "workspaceId", t.name, t.archived,
    t.current_path as "currentPath", t.live_mode as "liveMode", t.custom_domain_id as "customDomainId",
    ${TIMESTAMPS}, ${tagsOf('funnel_tags', 'funnel_id')}`,
  ...BELOW_WORKSPACE,
};

export const PAGES: Table<PageRow> = {
  name: 'pages',
  columns: `t.id, t.public_id as "publicId", t.workspace_id as "workspaceId", t.name,
    t.current_path as "currentPath", ${TIMESTAMPS}`,
  ...BELOW_WORKSPACE,
  visible: 't.discarded_at is null',
};

const REFINE_FILTER_COLUMNS = `t.id, t.public_id as "publicId", t.workspace_id as "workspaceId", t.name,
    t.filter_class as "filterClass", t.conjunction, t.criteria, ${TIMESTAMPS}`;

export const REFINE_FILTERS: Table<RefineFilterRow> = {
  name: 'refine_filters',
  columns: REFINE_FILTER_COLUMNS,
  ...BELOW_WORKSPACE,
};

export const WEBHOOK_ENDPOINTS: Table<WebhookEndpointRow> = {
  name: 'webhook_endpoints',
  columns: `t.id, t.public_id as "publicId", t.workspace_id as "workspaceId", t.url, t.name,
    t.event_type_ids as "eventTypeIds", t.api_version as "apiVersion", t.page_ids as "pageIds",
    t.funnel_ids as "funnelIds", ${TIMESTAMPS}`,
  ...BELOW_WORKSPACE,
};

export const SPLITS: Table<SplitRow> = {
  name: 'funnel_steps',
  columns: `t.id, t.public_id as "publicId", t.funnel_id as "funnelId", t.name, t.filter_id as "filterId", ${TIMESTAMPS},
    (select f.public_id from funnels f where f.id = t.funnel_id) as "funnelPublicId",
    (select r.public_id from refine_filters r where r.id = t.filter_id) as "filterPublicId"`,
  ...BELOW_WORKSPACE,
  parent: { table: 'funnels', column: 'funnel_id' },
  visible: "t.kind = 'conditional_split' and t.removed_at is null",
};
