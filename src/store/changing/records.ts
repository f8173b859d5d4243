// What every change records beside its row: common table expressions that follow those of the row itself (DESIGN §12, §13).
import { type Resource, subjectTypeOf } from '../../resources/resource.ts';
import type { Executor } from '../connections/executor.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { Table } from '../tables/table.ts';

/** What every change records: who made it, and the key that a retry has. The values of parameters of statements. */
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

/** Whose a change is. */
export function tenancyOf({ team, workspaces }: Recorded): Tenancy {
  return { teamId: team, workspaceIds: workspaces };
}

/** How a change ends: what it records, and what a retry is told again. */
export type ChangeOutcome = 'created' | 'updated' | 'removed';

/** For so long a retry with the same key is answered as the first request was. */
export const KEY_LIFETIME = "interval '24 hours'";
// Which columns of the record are written, and what becomes of a key that has been claimed before: the same where it is written in
// steps (distributed/record.ts).
export const INSERT_CLAIM = `insert into idempotency_records as r (workspace_id, key_hash, request_hash, outcome, audit_entry_id)`;
export const INSERT_ENTRY = `insert into audit_entries (id, workspace_id, action, subject_type, subject_id, contact_id,
        actor_kind, actor_id, client_id, request_id, before, after)`;
export const INSERT_EVENTS =
  'insert into events (workspace_id, event_type, subject_type, subject_id, contact_id, data)';
export const INSERT_DELIVERIES =
  'insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type)';

/** A record whose time is over makes room for the new one. @param over SQL: records up to then are over */
export function replacing(over: string): string {
  return `on conflict (workspace_id, key_hash) do update set request_hash = excluded.request_hash, outcome = excluded.outcome,
        audit_entry_id = excluded.audit_entry_id, created_at = excluded.created_at
        where r.created_at <= ${over}`;
}

/**
 * The idempotency key is claimed, if there is one: `go` has a row if the change goes ahead. Whoever claims it second waits for the
 * first one's end, and then has no row.
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

/** The audit entry. `shown` has one row: `workspace_id`, `id`, `contact_id`, and the snapshots `before` and `after`. */
export function audit(resource: Resource, action: string): string {
  return `audit as (
      ${INSERT_ENTRY}
      select go.audit_entry_id, shown.workspace_id, '${resource.topic}.${action}', '${subjectTypeOf(resource)}', shown.id,
        shown.contact_id, $actor_kind::text, $actor_id::text, $client_id::text, $request_id::text, shown.before, shown.after
      from shown, go
    )`;
}

/** Whether endpoints are told of what is done to objects of a noun. */
export function isTold({ events = [] }: Resource, action: string): boolean {
  return events.includes(action);
}

/** An event of each row of a relation like `shown` that a condition holds for. @param data which snapshot */
export function event(
  resource: Resource,
  name: string,
  data: 'before' | 'after' | 'data',
  { from = 'shown', when = 'true' } = {},
): string {
  return `select workspace_id, '${resource.topic}.${name}', '${subjectTypeOf(resource)}', id, contact_id, ${data}
    from ${from} where ${when}`;
}

/**
 * The outbox, and what each endpoint that is subscribed is to be told (DESIGN §13), whose ids are in the order of the events.
 * @param events each of `event`
 * @param condition SQL: which endpoints `e` are told at all
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

/** Whether the endpoint `e` is told of the event `o`. For one that is deactivated nothing is kept but the events (missed-events.ts). */
export const IS_SUBSCRIBED = `e.deactivated_at is null and e.api_version = o.api_version
        and (e.event_type_ids = '{}' or o.event_type = any(e.event_type_ids))
        and (e.page_ids = '{}' or o.page_id = any(e.page_ids))
        and (e.funnel_ids = '{}' or o.funnel_id = any(e.funnel_ids))`;

/** In the select list of a statement with an outbox: `Told`. */
export const TOLD = `array(select distinct endpoint_id from deliveries) as told,
      ((select count(*) from outbox) + (select count(*) from deliveries))::int as rows`;

/** What a change has to tell. */
export interface Told {
  /** The endpoints that are to be told. */
  readonly told: readonly bigint[];
  /** Events and deliveries. */
  readonly rows: number;
}

/** What a change of the row `c` sets. @param now the placeholder of its time, which was read before */
export function bumpAt(now: string): string {
  return `row_version = c.row_version + 1, updated_at = later_time(c.updated_at, ${now}::timestamptz)`;
}

/** SQL of the time of a change of a table: the database's, announced where lists are in the order of it. */
export function changeTime(table: Pick<Table<{ id: bigint }>, 'name' | 'resource'> | undefined): string {
  return table?.resource.sorts === undefined ? 'clock_timestamp()' : `draw_time(${TYPE_NUMBER[table.name]})`;
}

/** The time of a change, announced where it is of a table whose lists are in the order of changes. */
export async function timeOf(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  table?: Parameters<typeof changeTime>[0],
): Promise<string> {
  const [time] = await tx.$queryRawUnsafe<{ now: string }[]>(`select ${changeTime(table)}::text as now`);
  return time?.now ?? '';
}
