// Finds due work: an endpoint with due deliveries, and its next deliveries with everything that sending needs.
import { isErasedEvent, unlessErased } from '../sql/erased.ts';
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';
import { HAS_ENDED, NEEDS_WORKER } from './ended-endpoints.ts';

/** The data of an endpoint that delivery needs. */
export interface DueEndpoint {
  readonly id: bigint;
  readonly workspaceId: bigint;
  readonly teamId: bigint;
  readonly url: string;
  /** Encrypted. */
  readonly secret: Uint8Array;
  /** Encrypted; null unless the secret is being rotated. */
  readonly previousSecret: Uint8Array | null;
  readonly strictOrder: boolean;
  readonly maxDeliveriesPerSecond: number | null;
  /** The time since which every attempt has failed. */
  readonly failingSince: Date | null;
  /** The subscriber, whose rights the subscription depends on; all null: the operator. */
  readonly actorKind: 'api_key' | 'oauth' | null;
  readonly actorId: string | null;
  readonly clientId: string | null;
  /** Its subscription has ended: its pending deliveries have to be canceled. */
  readonly hasEnded: boolean;
}

/** A pending delivery. */
export interface DueDelivery {
  readonly id: bigint;
  readonly createdAt: Date;
  readonly attemptCount: number;
  /** How many of these were made before the delivery was made due again. The waits between attempts restarted then. */
  readonly attemptsBefore: number;
  /** Milliseconds until it is due: 0 unless the order is strict. */
  readonly waitMs: number;
  /** Whether, in a strict order, it blocks the deliveries after it: it has no attempt yet, or its first one was less than an hour ago. */
  readonly blocksOthers: boolean;
  readonly eventId: bigint;
  /** The contact whose data the event holds. */
  readonly contactId: bigint | null;
  /** null: there is nothing left to send. */
  readonly event: DueEvent | null;
  /** The event was erased, and the delivery is about to be canceled together with the contact's other data (erasing.ts). */
  readonly isBeingErased: boolean;
}

export interface DueEvent {
  readonly uuid: string;
  readonly type: string;
  readonly subjectType: string;
  readonly subjectId: bigint;
  /** JSON, as it was recorded. */
  readonly data: string;
  readonly apiVersion: number;
  readonly createdAt: Date;
  /** JSON: an object with `id`, `name` and `public_id`, or `null`. */
  readonly page: string;
  readonly funnel: string;
}

type Row = Omit<DueDelivery, 'event'> &
  Omit<DueEvent, 'data' | 'createdAt'> & {
    readonly data: string | null;
    readonly eventCreatedAt: Date;
    readonly found: number;
  };

/** The next deliveries of an endpoint. */
export interface DueDeliveries {
  readonly deliveries: readonly DueDelivery[];
  /** Whether more deliveries may be due. */
  readonly hasMore: boolean;
}

/** The maximum size of a batch's events, in bytes. A batch always has at least one delivery. */
const MAX_BATCH_BYTES = 512 * 1024;

/** In a strict order, a failing delivery blocks those after it for this long after its first attempt. */
const HOLD = "interval '1 hour'";

/** The endpoint; null if it was deleted, or deactivated in a way that keeps its pending deliveries. */
export async function findDueEndpoint(db: Pick<Store, 'pool'>, id: bigint): Promise<DueEndpoint | null> {
  const [found] = await query<DueEndpoint>(db, ENDPOINT, [id]);
  return found ?? null;
}

/**
 * The due deliveries of an endpoint, the longest due first. In a strict order: the next ones of that order, due or not.
 * @param inProgress deliveries to leave out
 */
export async function findDueDeliveries(
  db: Pick<Store, 'pool'>,
  { id, workspaceId, strictOrder }: Pick<DueEndpoint, 'id' | 'workspaceId' | 'strictOrder'>,
  inProgress: readonly bigint[],
  limit: number,
): Promise<DueDeliveries> {
  const next = strictOrder ? NEXT_IN_ORDER : NEXT;
  const rows = await query<Row>(db, next, [workspaceId, id, inProgress, limit, MAX_BATCH_BYTES]);
  const deliveries = rows.map(({ data, eventCreatedAt, ...row }) => ({
    ...row,
    event: data === null ? null : { ...row, data, createdAt: eventCreatedAt },
  }));
  return { deliveries, hasMore: rows.length === limit || rows.length < (rows[0]?.found ?? 0) };
}

/** Which of these deliveries are still pending. Others were canceled or erased since they were read. */
export async function findStillPending(
  db: Pick<Store, 'pool'>,
  workspaceId: bigint,
  ids: readonly bigint[],
): Promise<ReadonlySet<bigint>> {
  const rows = await query<{ id: bigint }>(db, STILL_PENDING, [workspaceId, ids]);
  return new Set(rows.map(({ id }) => id));
}

/** An event of a contact. */
export interface ContactEvent {
  readonly workspaceId: bigint;
  readonly contactId: bigint;
  readonly eventId: bigint;
}

/** Whether each event has been erased. @throws AppError `unavailable` */
export async function areErased(
  db: Pick<Store, 'pool'>,
  events: readonly ContactEvent[],
): Promise<boolean[]> {
  const distinct = (ids: readonly bigint[]) => [...new Set(ids)];
  const erasures = await query<{ workspaceId: bigint; contactId: bigint; through: bigint }>(db, ERASURES, [
    distinct(events.map(({ workspaceId }) => workspaceId)),
    distinct(events.map(({ contactId }) => contactId)),
  ]);
  const through = new Map(
    erasures.map((erasure) => [`${erasure.workspaceId} ${erasure.contactId}`, erasure.through]),
  );
  return events.map(
    ({ workspaceId, contactId, eventId }) => eventId <= (through.get(`${workspaceId} ${contactId}`) ?? 0n),
  );
}

const ERASURES = statement(
  'contact_erasures.of_contacts',
  () => `select x.workspace_id as "workspaceId", x.contact_id as "contactId", x.events_through as through
    from contact_erasures x where x.workspace_id = any($1::bigint[]) and x.contact_id = any($2::bigint[])`,
);

/**
 * Finds rows by their ids: `is true` keeps the planner from the index of pending deliveries, which it would read completely if it planned
 * the statement while that was empty.
 */
const STILL_PENDING = statement(
  'webhook_deliveries.still_pending',
  () => `select d.id from webhook_deliveries d
    where d.workspace_id = $1::bigint and d.id = any($2::bigint[]) and (d.status = 'pending') is true`,
);

const ENDPOINT = statement(
  'webhook_endpoints.due',
  () => `select e.id, e.workspace_id as "workspaceId", w.team_id as "teamId", e.url, e.secret,
      case when e.previous_secret_until > current_timestamp then e.previous_secret end as "previousSecret",
      e.strict_order as "strictOrder", e.max_deliveries_per_second as "maxDeliveriesPerSecond",
      e.failing_since as "failingSince", e.actor_kind as "actorKind", e.actor_id as "actorId", e.client_id as "clientId",
      coalesce(${HAS_ENDED}, false) as "hasEnded"
    from webhook_endpoints e join workspaces w on w.id = e.workspace_id
    where e.id = $1::bigint and ${NEEDS_WORKER}`,
);

const PENDING = `d.workspace_id = $1::bigint and d.endpoint_id = $2::bigint and d.status = 'pending' and d.id <> all($3::bigint[])`;

const NEXT = statement('webhook_deliveries.next', () =>
  withEvents(
    `select d.*, false as holds from webhook_deliveries d where ${PENDING} and d.next_attempt_at <= current_timestamp
      order by d.next_attempt_at, d.id limit $4::int`,
    'd.next_attempt_at, d.id',
  ),
);

/**
 * Includes deliveries that wait for their next attempt, as long as they block those after them. The order is by the ids of deliveries; it
 * differs from the order of events only between concurrent changes.
 */
const NEXT_IN_ORDER = statement('webhook_deliveries.next_in_order', () =>
  withEvents(
    `select h.* from (
        select d.*, not exists (select from webhook_attempts a where a.workspace_id = $1::bigint and a.delivery_id = d.id
          and a.number > d.attempts_before and a.started_at < current_timestamp - ${HOLD}) as holds
        from webhook_deliveries d where ${PENDING}) h
      where h.holds or h.next_attempt_at <= current_timestamp
      order by h.id limit $4::int`,
    'd.event_id, d.id',
  ),
);

/** Deliveries with their events, as many as fit into a batch. */
function withEvents(deliveries: string, order: string): string {
  return `select * from (
      select d.id, d.created_at as "createdAt", d.attempt_count as "attemptCount", d.attempts_before as "attemptsBefore", d.holds as "blocksOthers",
        greatest(0, extract(epoch from d.next_attempt_at - current_timestamp) * 1000)::float8 as "waitMs",
        v.uuid, v.event_type as type, v.subject_type as "subjectType", v.subject_id as "subjectId",
        d.event_id as "eventId", v.contact_id as "contactId", (${unlessErased('v.data', isErasedEvent('v', '$1::bigint'))})::text as data,
        ${isErasedEvent('v', '$1::bigint', 'x.done_at is null')} as "isBeingErased",
        v.api_version as "apiVersion", v.created_at as "eventCreatedAt",
        ${place('pages', 'v.page_id')} as page, ${place('funnels', 'v.funnel_id')} as funnel,
        count(*) over ()::int as found, row_number() over w as position, sum(octet_length(v.data::text)) over w as bytes
      from (${deliveries}) d
      left join events v on v.workspace_id = $1::bigint and v.id = d.event_id
      window w as (order by ${order} rows unbounded preceding)
    ) t where position = 1 or coalesce(bytes, 0) <= $5::int
    order by position`;
}

function place(table: 'pages' | 'funnels', id: string): string {
  return `coalesce((select json_build_object('id', p.id, 'name', p.name, 'public_id', p.public_id)::text
    from ${table} p where p.workspace_id = $1::bigint and p.id = ${id}), 'null')`;
}
