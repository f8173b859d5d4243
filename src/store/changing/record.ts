// Writes the record of a change in its transaction: the claim of the idempotency key, audit entry, events and deliveries.
import { subjectTypeOf } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { publicJson } from '../../rows/shown-json.ts';
import type { Executor } from '../connections/executor.ts';
import { violatedUniqueness } from '../connections/failures.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import { isShownByStep } from '../sql/showing-steps.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { insertRows } from './insert-rows.ts';
import {
  type ChangeOrigin,
  type ChangeOutcome,
  type ChangeRecord,
  KEY_LIFETIME,
  type PreparedRecord,
  type Subscription,
} from './records.ts';

/** The idempotency key was claimed before: the transaction is rolled back. */
class ClaimedBefore extends Error {}

/** Whether a change failed because its idempotency key was claimed before. */
export function wasClaimedBefore(error: unknown): boolean {
  return error instanceof ClaimedBefore || violatedUniqueness(error) === 'idempotency_records_pkey';
}

/** The state of an idempotency key that this transaction has locked. */
export interface KeyClaim {
  /** Another request claimed it before. A request that may not see the first answer is refused for that first. */
  readonly isClaimed: boolean;
  /** The workspaces that have an expired record of the key. */
  readonly expiredIn: readonly bigint[];
}

const CLAIMED = `select o.workspace_id, o.created_at > current_timestamp - ${KEY_LIFETIME} as "isValid" from idempotency_records o
  where o.key_hash = decode($1::text, 'hex') and ($2::bigint[] is null or o.workspace_id = any($2::bigint[]))`;

/** Reads the state of the idempotency key, if there is one. @param everywhere the tenancy that any request with the key may have had */
export async function readKeyClaim(
  tx: Executor,
  { key_hash }: ChangeOrigin,
  { workspaceIds }: Tenancy,
): Promise<KeyClaim> {
  if (key_hash === null) return { isClaimed: false, expiredIn: [] };
  const claimed = await tx.$queryRawUnsafe<{ workspace_id: bigint; isValid: boolean }[]>(
    ...[CLAIMED, key_hash, workspaceIds],
  );
  return {
    isClaimed: claimed.some(({ isValid }) => isValid),
    expiredIn: claimed.map(({ workspace_id }) => workspace_id),
  };
}

/** Must be called before anything is sent together with the commit. @throws ClaimedBefore */
export function requireUnclaimed({ isClaimed }: KeyClaim): void {
  if (isClaimed) throw new ClaimedBefore();
}

/** SQL. */
export const ENTRY_ID = `draw_id(${TYPE_NUMBER.audit_entries}, 'audit_entries_id_seq')`;
const INSERT_CLAIM = `insert into idempotency_records (workspace_id, key_hash, request_hash, outcome, audit_entry_id, subject_id)
  values ($1::bigint, decode($2::text, 'hex'), decode($3::text, 'hex'), $4::text, $5::bigint, $6::bigint)`;
const RENEW_CLAIM = `update idempotency_records o
  set request_hash = decode($3::text, 'hex'), outcome = $4::text, audit_entry_id = $5::bigint, subject_id = $6::bigint, created_at = current_timestamp
  where o.workspace_id = $1::bigint and o.key_hash = decode($2::text, 'hex')`;

/** Claims the key, if there is one. Fails if a process of an earlier version, which does not lock keys, has claimed it meanwhile. */
async function claim(
  tx: Executor,
  { key_hash, request_hash }: ChangeOrigin,
  turn: KeyClaim,
  { workspaceId, outcome, auditEntryId, subjectId = null }: Claim,
): Promise<void> {
  if (key_hash === null) return;
  const text = turn.expiredIn.includes(workspaceId) ? RENEW_CLAIM : INSERT_CLAIM;
  await tx.$executeRawUnsafe(text, workspaceId, key_hash, request_hash, outcome, auditEntryId, subjectId);
}

interface Claim {
  readonly workspaceId: bigint;
  readonly outcome: ChangeOutcome;
  readonly auditEntryId: bigint;
  /** The row that was left unchanged, if the request may have identified it by something other than its id. */
  readonly subjectId?: bigint | null;
}

const DRAW = `select ${ENTRY_ID} as id`;

/** Takes the id of an audit entry. Activations of endpoints wait for transactions that have one (missed-events.ts). */
export async function drawEntryId(tx: Executor): Promise<bigint> {
  const [drawn] = await tx.$queryRawUnsafe<{ id: bigint }[]>(DRAW);
  if (drawn === undefined) throw new TypeError('No id was drawn');
  return drawn.id;
}

/**
 * Reads what the record of a change needs, in one round trip. The id is drawn first: activations of endpoints wait for transactions that
 * have one (missed-events.ts).
 * @param events those to record @param pageId the page that they happened on: the endpoints to notify are then read when the events are
 * written
 */
export async function prepareRecord(
  tx: Executor,
  workspaceId: bigint,
  events: ChangeRecord['events'],
  pageId: bigint | null = null,
): Promise<PreparedRecord> {
  const types = events.map(({ resource, name }) => eventTypeOf(resource, name));
  const [auditEntryId, subscriptions] = await Promise.all([
    drawEntryId(tx),
    pageId === null ? findSubscriptions(tx, workspaceId, types) : undefined,
  ]);
  return { auditEntryId, subscriptions };
}

/** Records that a request changed nothing: only its key, if there is one. */
export async function recordUnchanged(
  tx: Executor,
  recorded: ChangeOrigin,
  turn: KeyClaim,
  unchanged: Omit<Claim, 'outcome'>,
): Promise<void> {
  await claim(tx, recorded, turn, { ...unchanged, outcome: 'updated' });
}

const ENTRY_COLUMNS =
  'action, subject_type, subject_id, contact_id, actor_kind, actor_id, client_id, request_id, before, after';
const ENTRY_TYPES = [
  ...['text', 'text', 'bigint', 'bigint', 'text', 'text', 'text', 'text'],
  ...['json', 'json'],
];
const AUDIT = `insert into audit_entries (id, workspace_id, ${ENTRY_COLUMNS})
  values ($1::bigint, $2::bigint, ${ENTRY_TYPES.map((type, index) => `$${index + 3}::${type}`)})`;

/** The values of an audit entry's columns. */
function entryOf(
  { actor_kind, actor_id, client_id, request_id }: ChangeOrigin,
  { resource, action, subjectId, contactId, before, after }: ChangeRecord,
): unknown[] {
  return [
    ...[`${resource.topic}.${action}`, subjectTypeOf(resource), subjectId, contactId],
    ...[actor_kind, actor_id, client_id, request_id, before, after],
  ];
}

/** Which endpoints were notified, and the number of events and deliveries written. */
export interface Notified {
  readonly endpoints: readonly bigint[];
  readonly rows: number;
}

/** What has been read before a change is recorded. */
interface Prepared extends PreparedRecord {
  readonly turn: KeyClaim;
  /** Sends the commit with the last statements; absent: the caller commits. */
  readonly commit?: () => Promise<void>;
}

/** Writes the complete record of a change. */
export async function record(
  tx: Executor,
  recorded: ChangeOrigin,
  change: ChangeRecord,
  { turn, auditEntryId, subscriptions, commit }: Prepared,
): Promise<Notified> {
  const { workspaceId, outcome, contactId, events, pageId, children = [] } = change;
  const [, , , notified] = await Promise.all([
    claim(tx, recorded, turn, { workspaceId, outcome, auditEntryId }),
    tx.$executeRawUnsafe(AUDIT, auditEntryId, workspaceId, ...entryOf(recorded, change)),
    insertRows(tx, {
      insert: `insert into audit_entries (workspace_id, ${ENTRY_COLUMNS})`,
      workspaceId,
      types: ENTRY_TYPES,
      rows: children.map((child) => entryOf(recorded, child)),
      returning: 'id',
    }),
    writeOutbox(tx, { workspaceId, contactId, events, pageId, subscriptions }, commit),
  ]);
  return notified;
}

/**
 * Whether the endpoint `e` is notified of the event `o`. A deactivated endpoint gets no deliveries; only the events are kept
 * (missed-events.ts).
 */
export const IS_SUBSCRIBED = `e.deactivated_at is null and e.api_version = o.api_version
        and (e.event_type_ids = '{}' or o.event_type = any(e.event_type_ids))
        and (e.page_ids = '{}' or o.page_id = any(e.page_ids))
        and (e.funnel_ids = '{}' or o.funnel_id = any(e.funnel_ids))`;

/**
 * SQL that selects the endpoints to notify of events of these types. The events get the default of `api_version`. @param page SQL of the
 * events' page @param funnel SQL of the page's funnel
 */
export const subscribersQuery = (workspace: string, types: string, page = 'null', funnel = 'null'): string =>
  `select e.id as endpoint_id, o.event_type
    from (select u.type as event_type, 2 as api_version, ${page}::bigint as page_id, ${funnel}::bigint as funnel_id from unnest(${types}::text[]) u (type)) o
      join webhook_endpoints e on e.workspace_id = ${workspace}
    where ${IS_SUBSCRIBED} order by e.id`;
const SUBSCRIBED = subscribersQuery('$1::bigint', '$2', '$3', '$4');

/** The page where events happen, and the funnel that shows it, if any. */
interface Place {
  readonly pageId: bigint;
  readonly funnelId: bigint | null;
}

const FUNNEL = `select s.funnel_id as "funnelId" from funnel_steps s where ${isShownByStep('s', '$1::bigint', '$2::bigint')}`;

async function findPlace(tx: Executor, workspaceId: bigint, pageId: bigint): Promise<Place> {
  const [shown] = await tx.$queryRawUnsafe<{ funnelId: bigint }[]>(FUNNEL, workspaceId, pageId);
  return { pageId, funnelId: shown?.funnelId ?? null };
}

/** Finds the endpoints of a workspace to notify of events of these types. @param place null: they happen on no page */
export async function findSubscriptions(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  workspaceId: bigint,
  eventTypes: readonly string[],
  place: Place | null = null,
): Promise<Subscription[]> {
  const types = [...new Set(eventTypes)];
  const [pageId, funnelId] = [place?.pageId ?? null, place?.funnelId ?? null];
  return types.length === 0
    ? []
    : tx.$queryRawUnsafe<Subscription[]>(SUBSCRIBED, workspaceId, types, pageId, funnelId);
}

/** The type of an event. */
export function eventTypeOf({ topic }: Resource, name: string): string {
  return `${topic}.${name}`;
}

export const INSERT_DELIVERIES =
  'insert into webhook_deliveries (workspace_id, endpoint_id, event_id, event_type)';

/** The answer of `withRecord`. */
export interface CreationResult extends Notified {
  readonly workspace_id: bigint;
  readonly id: bigint;
  readonly after: string;
}

/**
 * A statement that creates a row and writes the complete record of its creation. It locks the table of events, then reads which endpoints
 * are active (missed-events.ts). The idempotency key must be unclaimed.
 * @param write creates at most one row and returns its `workspace_id`, `id`, `contact_id` and JSON as `after`. Further parameters are those
 * of the caller
 * @param eventTypes SQL of the types of the row's events
 */
export function withRecord(resource: Resource, write: string, eventTypes: string): string {
  const subject = `'${subjectTypeOf(resource)}', t.id, t.contact_id`;
  return `with t as (${write}), audit as (
      insert into audit_entries (workspace_id, ${ENTRY_COLUMNS})
      select t.workspace_id, '${resource.topic}.created', ${subject},
        $actor_kind::text, $actor_id::text, $client_id::text, $request_id::text, null, t.after from t
      returning workspace_id, id
    ), claimed as (
      insert into idempotency_records (workspace_id, key_hash, request_hash, outcome, audit_entry_id)
      select a.workspace_id, decode($key_hash::text, 'hex'), decode($request_hash::text, 'hex'), 'created', a.id
      from audit a where $key_hash::text is not null
    ), happened as (
      insert into events (workspace_id, event_type, subject_type, subject_id, contact_id, data)
      select t.workspace_id, o.event_type, ${subject}, t.after
      from t cross join lateral unnest(${eventTypes}) o (event_type)
      returning workspace_id, id, event_type, api_version, page_id, funnel_id
    ), due as (
      ${INSERT_DELIVERIES}
      select o.workspace_id, e.id, o.id, o.event_type
      from happened o join webhook_endpoints e on e.workspace_id = o.workspace_id
      where ${IS_SUBSCRIBED} order by o.id, e.id
      returning endpoint_id
    )
    select t.workspace_id, t.id, t.after::text as after, array(select distinct endpoint_id from due) as endpoints,
      ((select count(*) from happened) + (select count(*) from due))::int as rows from t`;
}

/** The condition that no request has ever claimed the idempotency key. */
export const IS_NEW_KEY = `not exists (select from idempotency_records o where o.key_hash = decode($key_hash::text, 'hex'))`;

interface Outbox extends Pick<ChangeRecord, 'workspaceId' | 'contactId' | 'events'> {
  readonly pageId?: bigint | null | undefined;
  readonly subscriptions?: PreparedRecord['subscriptions'];
}

/** Like `publicJson`, memoized: several events often have the same JSON. */
function memoizedShownJson(): (resource: Resource, json: string) => string {
  const known = new Map<string, string>();
  return (resource, json) => {
    const shown = known.get(json) ?? publicJson(resource, json);
    known.set(json, shown);
    return shown;
  };
}

/** Writes the events, and a delivery for each endpoint to notify. @param commit as in `Prepared` */
export async function writeOutbox(
  tx: Executor,
  { workspaceId, contactId, events, pageId = null, subscriptions }: Outbox,
  commit: () => Promise<void> = async () => {},
): Promise<Notified> {
  const place = pageId === null || events.length === 0 ? null : await findPlace(tx, workspaceId, pageId);
  const places = place === null ? [] : [place.pageId, place.funnelId];
  const shown = memoizedShownJson();
  const writing = insertRows<{ id: bigint; event_type: string }>(tx, {
    insert: `insert into events (workspace_id, event_type, subject_type, subject_id, contact_id, data${place === null ? '' : ', page_id, funnel_id'})`,
    workspaceId,
    types: ['text', 'text', 'bigint', 'bigint', 'json', ...places.map(() => 'bigint')],
    rows: events.map(({ resource, name, subjectId, contactId: own = contactId, data }) => [
      ...[eventTypeOf(resource, name), subjectTypeOf(resource), subjectId, own, shown(resource, data)],
      ...places,
    ]),
    returning: 'id, event_type',
  });
  const types = new Set(events.map(({ resource, name }) => eventTypeOf(resource, name)));
  const known = subscriptions?.filter(({ event_type }) => types.has(event_type));
  if (known?.length === 0) {
    const [written] = await Promise.all([writing, commit()]);
    return { endpoints: [], rows: written.length };
  }
  const [written, notified] = await Promise.all([
    writing,
    known ?? findSubscriptions(tx, workspaceId, [...types], place),
  ]);
  const deliveries = written.flatMap(({ id, event_type }) =>
    notified
      .filter((subscription) => subscription.event_type === event_type)
      .map(({ endpoint_id }) => [endpoint_id, id, event_type] as const),
  );
  await Promise.all([
    insertRows(tx, {
      insert: INSERT_DELIVERIES,
      workspaceId,
      types: ['bigint', 'bigint', 'text'],
      rows: deliveries,
      returning: 'id',
    }),
    commit(),
  ]);
  return {
    endpoints: [...new Set(deliveries.map(([endpointId]) => endpointId))],
    rows: written.length + deliveries.length,
  };
}
