// The record of a change in a distributed store: the claim of the idempotency key, audit entry, events and deliveries. changing/records.ts
// writes them in one statement; here they are written one after the other, each on the workspace's shard, with ids assigned on the
// coordinator.
import { subjectTypeOf } from '../../../resources/resource.ts';
import { bigintAsText } from '../../../rows/json.ts';
import type { Executor } from '../../connections/executor.ts';
import { TYPE_NUMBER } from '../../sql/public-ids.ts';
import type { ChangeRecord } from '../record-change.ts';
import {
  type ChangeOutcome,
  INSERT_CLAIM,
  INSERT_DELIVERIES,
  INSERT_ENTRY,
  INSERT_EVENTS,
  IS_SUBSCRIBED,
  KEY_LIFETIME,
  type Recorded,
  replacing,
  type Told,
} from '../records.ts';
import { insertRows } from './insert-rows.ts';

/** The idempotency key was claimed before: the transaction is rolled back. */
export class ClaimedBefore extends Error {}

const DRAW = `select draw_id(${TYPE_NUMBER.audit_entries}, 'audit_entries_id_seq') as id,
  (current_timestamp - ${KEY_LIFETIME})::text as expired`;

/**
 * Keys are stored on the shards of workspaces. So concurrent requests with the same key, even for different workspaces, wait on the
 * coordinator for the first one. After that all of them continue together.
 */
const TAKE_TURN = `select case when not pg_try_advisory_xact_lock(k) then pg_advisory_xact_lock_shared(k) end
  from hashtextextended($1::text, 0) k`;

/** Looks in all workspaces that the caller may access. */
const IS_CLAIMED = `select true as claimed from idempotency_records o where o.key_hash = decode($1::text, 'hex')
  and o.workspace_id = any($2::bigint[]) and o.created_at > $3::timestamptz limit 1`;

const CLAIM = `${INSERT_CLAIM}
  values ($1::bigint, decode($2::text, 'hex'), decode($3::text, 'hex'), $4::text, $5::bigint)
  ${replacing('$6::timestamptz')}
  returning true as claimed`;

/**
 * Claims the key, if there is one. A second request with the same key waits until the first one has ended.
 * @returns the id of the audit entry
 * @throws ClaimedBefore
 */
export async function claimInSteps(
  tx: Executor,
  { key_hash, request_hash, workspaces }: Recorded,
  workspaceId: bigint,
  outcome: ChangeOutcome,
): Promise<bigint> {
  const [drawn] = await tx.$queryRawUnsafe<{ id: bigint; expired: string }[]>(DRAW);
  if (drawn === undefined) throw new TypeError('No id was drawn');
  const { id, expired } = drawn;
  if (key_hash === null) return id;
  await tx.$executeRawUnsafe(TAKE_TURN, `idempotency-key:${key_hash}`);
  const isClaimed = await tx.$queryRawUnsafe<unknown[]>(
    IS_CLAIMED,
    key_hash,
    workspaces ?? [workspaceId],
    expired,
  );
  if (isClaimed.length > 0) throw new ClaimedBefore();
  const claimed = await tx.$queryRawUnsafe<unknown[]>(
    ...[CLAIM, workspaceId, key_hash, request_hash, outcome],
    id,
    expired,
  );
  if (claimed.length === 0) throw new ClaimedBefore();
  return id;
}

const AUDIT = `${INSERT_ENTRY}
  values ($1::bigint, $2::bigint, $3::text, $4::text, $5::bigint, $6::bigint, $7::text, $8::text, $9::text, $10::text,
    $11::json, $12::json)`;

const INSERT_FURTHER = INSERT_ENTRY.replace('(id, ', '(');

/** Writes the audit entry, whose id was assigned with the claim, those of the children, and the events. */
export async function recordInSteps(
  tx: Executor,
  recorded: Recorded,
  auditEntryId: bigint,
  change: ChangeRecord,
): Promise<Told> {
  const { workspaceId, contactId, events, children = [] } = change;
  await tx.$executeRawUnsafe(AUDIT, auditEntryId, workspaceId, ...entryOf(recorded, change));
  await insertRows(tx, {
    insert: INSERT_FURTHER,
    workspaceId,
    types: ['text', 'text', 'bigint', 'bigint', 'text', 'text', 'text', 'text', 'json', 'json'],
    rows: children.map((child) => entryOf(recorded, child)),
    returning: 'id',
  });
  return tell(tx, workspaceId, contactId, events);
}

/** The columns of an audit entry behind its workspace. */
function entryOf(
  { actor_kind, actor_id, client_id, request_id }: Recorded,
  { resource, action, subjectId, contactId, before, after }: ChangeRecord,
): unknown[] {
  return [
    ...[`${resource.topic}.${action}`, subjectTypeOf(resource), subjectId, contactId],
    ...[actor_kind, actor_id, client_id, request_id, before, after],
  ];
}

const SUBSCRIBED = `select e.id as endpoint_id, o.id as event_id, o.event_type
  from json_to_recordset($2::json) o (id bigint, event_type text, api_version int, page_id bigint, funnel_id bigint)
    join webhook_endpoints e on e.workspace_id = $1::bigint
  where ${IS_SUBSCRIBED} order by o.id, e.id`;

interface Telling {
  readonly endpoint_id: bigint;
  readonly event_id: bigint;
  readonly event_type: string;
}

/** Writes the outbox: the events, and a delivery for each subscribed endpoint. */
export async function tell(
  tx: Executor,
  workspaceId: bigint,
  contactId: bigint | null,
  events: ChangeRecord['events'],
): Promise<Told> {
  if (events.length === 0) return { told: [], rows: 0 };
  const written = await insertRows<object>(tx, {
    insert: INSERT_EVENTS,
    workspaceId,
    types: ['text', 'text', 'bigint', 'bigint', 'json'],
    rows: events.map(({ resource, name, subjectId, data }) => [
      ...[`${resource.topic}.${name}`, subjectTypeOf(resource), subjectId, contactId, data],
    ]),
    returning: 'id, event_type, api_version, page_id, funnel_id',
  });
  const told = await tx.$queryRawUnsafe<Telling[]>(SUBSCRIBED, workspaceId, toJson(written));
  await insertRows(tx, {
    insert: INSERT_DELIVERIES,
    workspaceId,
    types: ['bigint', 'bigint', 'text'],
    rows: told.map(({ endpoint_id, event_id, event_type }) => [endpoint_id, event_id, event_type]),
    returning: 'id',
  });
  return {
    told: [...new Set(told.map(({ endpoint_id }) => endpoint_id))],
    rows: written.length + told.length,
  };
}

function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows, bigintAsText);
}
