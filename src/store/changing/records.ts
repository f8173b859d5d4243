// The records that every change writes besides its row, as common table expressions that follow those of the row itself.
import { expandableNames, type Resource, subjectTypeOf } from '../../resources/resource.ts';
import type { Executor } from '../connections/executor.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { Table } from '../tables/table.ts';

/** Who makes a change, and its idempotency key, as the values of statement parameters. */
export interface Recorded {
  readonly team: bigint;
  readonly workspaces: Tenancy['workspaceIds'];
  readonly key_hash: string | null;
  readonly request_hash: string | null;
  readonly actor_kind: 'api_key' | 'oauth';
  readonly actor_id: string;
  readonly client_id: string | null;
  readonly request_id: string;
}

/** The tenancy of the caller that makes a change. */
export function tenancyOf({ team, workspaces }: Recorded): Tenancy {
  return { teamId: team, workspaceIds: workspaces };
}

/** The kind of a change. It is recorded, so that a retry gets the same answer. */
export type ChangeOutcome = 'created' | 'updated' | 'removed';

/** How long a retry with the same key gets the first request's answer. */
export const KEY_LIFETIME = "interval '24 hours'";
// Which columns of a record are written, and how a key that was claimed before is handled. Shared with the store's distributed form
// (distributed/record.ts).
export const INSERT_CLAIM = `insert into idempotency_records as r (workspace_id, key_hash, request_hash, outcome, audit_entry_id)`;
export const INSERT_ENTRY = `insert into audit_entries (id, workspace_id, action, subject_type, subject_id, contact_id,
        actor_kind, actor_id, client_id, request_id, before, after)`;
export const INSERT_EVENTS =
  'insert into events (workspace_id, event_type, subject_type, subject_id, contact_id, data)';
export const INSERT_DELIVERIES =
  'insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type)';

/** Replaces a record that has expired. @param over SQL: records made up to this time have expired */
export function replacing(over: string): string {
  return `on conflict (workspace_id, key_hash) do update set request_hash = excluded.request_hash, outcome = excluded.outcome,
        audit_entry_id = excluded.audit_entry_id, created_at = excluded.created_at
        where r.created_at <= ${over}`;
}

/**
 * Claims the idempotency key, if there is one. `go` has a row if the change goes ahead. A second request with the same key waits until the
 * first one has ended, and then `go` has no row.
 * @param from has at most one row, with `workspace_id`
 */
export function claim(from: string, outcome: ChangeOutcome): string {
  return `entry as materialized (
      select ${from}.*, draw_id(${TYPE_NUMBER.audit_entries}, 'audit_entries_id_seq') as audit_entry_id from ${from}
    ), claim as (
      ${INSERT_CLAIM}
      select workspace_id, decode($key_hash::text, 'hex'), decode($request_hash::text, 'hex'), '${outcome}', audit_entry_id from entry
      where $key_hash::text is not null and not exists (select from idempotency_records o
        where o.key_hash = decode($key_hash::text, 'hex') and o.created_at > current_timestamp - ${KEY_LIFETIME})
      ${replacing(`current_timestamp - ${KEY_LIFETIME}`)}
      returning 1
    ), go as materialized (
      select * from entry where $key_hash::text is null or exists (select from claim)
    )`;
}

/** Writes the audit entry. `shown` has one row: `workspace_id`, `id`, `contact_id`, and the snapshots `before` and `after`. */
export function audit(resource: Resource, action: string): string {
  return `audit as (
      ${INSERT_ENTRY}
      select go.audit_entry_id, shown.workspace_id, '${resource.topic}.${action}', '${subjectTypeOf(resource)}', shown.id,
        shown.contact_id, $actor_kind::text, $actor_id::text, $client_id::text, $request_id::text, shown.before, shown.after
      from shown, go
    )`;
}

/** Whether endpoints are notified of this action on objects of a noun. */
export function isTold({ events = [] }: Resource, action: string): boolean {
  return events.includes(action);
}

/** SQL of a snapshot without the members that REST shows only on request: nobody asks for them in an event. */
function withoutExpandable(resource: Resource, snapshot: string): string {
  const names = expandableNames(resource);
  if (names.length === 0) return snapshot;
  return `(select '{' || string_agg(to_json(m.name)::text || ':' || m.value::text, ',' order by m.place) || '}'
      from json_each(${snapshot}) with ordinality m (name, value, place) where m.name <> all ('{${names.join()}}'))::json`;
}

/** Selects an event for each row of a relation like `shown` where a condition holds. @param data which snapshot becomes the event's data */
export function event(
  resource: Resource,
  name: string,
  data: 'before' | 'after' | 'data',
  { from = 'shown', when = 'true' } = {},
): string {
  return `select workspace_id, '${resource.topic}.${name}', '${subjectTypeOf(resource)}', id, contact_id, ${withoutExpandable(resource, data)}
    from ${from} where ${when}`;
}

/**
 * Writes the outbox, and a delivery for each subscribed endpoint. The deliveries' ids are in the order of the events.
 * @param events each from `event`
 * @param condition SQL: which endpoints `e` are notified at all
 */
export function outbox(events: readonly string[], condition = 'true'): string {
  return `outbox as (
      ${INSERT_EVENTS}
      ${events.join(' union all ')}
      returning id, workspace_id, event_type, api_version, page_id, funnel_id
    ), deliveries as (
      ${INSERT_DELIVERIES}
      select o.workspace_id, e.id, o.id, o.event_type
      from outbox o join webhook_endpoints e on e.workspace_id = o.workspace_id
      where ${IS_SUBSCRIBED} and ${condition}
      order by o.id
      returning endpoint_id
    )`;
}

/**
 * Whether the endpoint `e` is notified of the event `o`. A deactivated endpoint gets no deliveries; only the events are kept
 * (missed-events.ts).
 */
export const IS_SUBSCRIBED = `e.deactivated_at is null and e.api_version = o.api_version
        and (e.event_type_ids = '{}' or o.event_type = any(e.event_type_ids))
        and (e.page_ids = '{}' or o.page_id = any(e.page_ids))
        and (e.funnel_ids = '{}' or o.funnel_id = any(e.funnel_ids))`;

/** The columns of `Told`, for the select list of a statement with an outbox. */
export const TOLD = `array(select distinct endpoint_id from deliveries) as told,
      ((select count(*) from outbox) + (select count(*) from deliveries))::int as rows`;

/** What a change has put into the outbox. */
export interface Told {
  /** The endpoints to notify. */
  readonly told: readonly bigint[];
  /** The number of events and deliveries written. */
  readonly rows: number;
}

/** The columns that every change of the row `c` sets. @param now the placeholder of the change's time, which was read before */
export function bumpAt(now: string): string {
  return `row_version = c.row_version + 1, updated_at = later_time(c.updated_at, ${now}::timestamptz)`;
}

/** SQL of the time of a change of a table, from the database's clock. It is announced where lists are ordered by the time of changes. */
export function changeTime(table: Pick<Table<{ id: bigint }>, 'name' | 'resource'> | undefined): string {
  return table?.resource.sorts === undefined ? 'clock_timestamp()' : `draw_time(${TYPE_NUMBER[table.name]})`;
}

/** The time of a change. It is announced where the table's lists are ordered by the time of changes. */
export async function timeOf(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  table?: Parameters<typeof changeTime>[0],
): Promise<string> {
  const [time] = await tx.$queryRawUnsafe<{ now: string }[]>(`select ${changeTime(table)}::text as now`);
  return time?.now ?? '';
}
