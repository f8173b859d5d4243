// Records changes of a workspace of the demo as they are recorded when they are made, but at an earlier time: the audit entry, events, and
// their deliveries. What came of the deliveries is made up: nothing is sent.
import { drawEntryId, record } from '../changing/record.ts';
import type { ChangeOrigin, ChangeRecord } from '../changing/records.ts';
import type { Executor } from '../connections/executor.ts';
import type { Random } from '../seed/random.ts';
import type { DueDelivery, DueEndpoint, DueEvent } from '../webhooks/deliveries-due.ts';
import { type Outcome, recordOutcomesOf } from '../webhooks/delivery-outcomes.ts';
import type { AnswerData, HistoryData } from './fixture.ts';

/** The attempts of a delivery, from the first to the last, as they would have been if its receiver answered this to every one. */
export type MakeUpAttempts = (
  endpoint: Pick<DueEndpoint, 'id' | 'workspaceId' | 'url'>,
  delivery: Pick<DueDelivery, 'id' | 'createdAt'>,
  event: DueEvent,
  answer: AnswerData,
) => Promise<readonly Outcome[]>;

/** A workspace whose changes are recorded, and by whom they are made. */
export interface PastChanges {
  readonly steps: Executor;
  readonly random: Random;
  readonly workspaceId: bigint;
  readonly by: Omit<ChangeOrigin, 'request_id'>;
}

/** What the transaction has recorded and not moved to its time yet. */
const IS_NEW = 'created_at = current_timestamp::timestamptz(3)';

/** Records a change. */
export async function recordAt(
  past: PastChanges,
  at: Date,
  change: Omit<ChangeRecord, 'workspaceId'>,
): Promise<void> {
  const { steps, random, workspaceId, by } = past;
  await record(
    steps,
    { ...by, request_id: uuidOf(random) },
    { ...change, workspaceId },
    { turn: { isClaimed: false, expiredIn: [] }, auditEntryId: await drawEntryId(steps) },
  );
  await steps.$executeRawUnsafe(
    `update audit_entries set created_at = $2::timestamptz where workspace_id = $1::bigint and ${IS_NEW}`,
    ...[workspaceId, at.toISOString()],
  );
  const events = await steps.$queryRawUnsafe<{ id: bigint }[]>(
    `select id from events where workspace_id = $1::bigint and ${IS_NEW} order by id`,
    workspaceId,
  );
  const [ids, uuids] = [events.map(({ id }) => id), events.map(() => uuidOf(random))];
  await steps.$executeRawUnsafe(
    `update events e set created_at = $2::timestamptz, uuid = u.uuid::uuid from unnest($3::bigint[], $4::text[]) u (id, uuid)
      where e.workspace_id = $1::bigint and e.${IS_NEW} and e.id = u.id`,
    ...[workspaceId, at.toISOString(), ids, uuids],
  );
  await steps.$executeRawUnsafe(
    `update webhook_deliveries set created_at = $2::timestamptz, updated_at = $2::timestamptz
      where workspace_id = $1::bigint and ${IS_NEW}`,
    ...[workspaceId, at.toISOString()],
  );
}

/** A delivery with the event that it is of, and the endpoint that it goes to. */
type Delivery = DueEvent & {
  readonly id: bigint;
  readonly endpointId: bigint;
  readonly endpoint: string;
  readonly url: string;
};

/** Makes up the attempts to deliver the events, and records them in the order of their times, as a worker would have. */
export async function recordAttempts(
  { steps, workspaceId }: PastChanges,
  { answer, refusal }: Pick<HistoryData, 'answer' | 'refusal'>,
  makeUpAttempts: MakeUpAttempts,
): Promise<void> {
  const deliveries = await steps.$queryRawUnsafe<Delivery[]>(
    `select d.id, d.endpoint_id as "endpointId", e.name as endpoint, e.url, v.uuid::text as uuid, v.event_type as type,
        v.subject_type as "subjectType", v.subject_id as "subjectId", v.data::text as data, v.api_version as "apiVersion",
        v.created_at as "createdAt", 'null' as page, 'null' as funnel
      from webhook_deliveries d join events v on v.workspace_id = d.workspace_id and v.id = d.event_id
        join webhook_endpoints e on e.workspace_id = d.workspace_id and e.id = d.endpoint_id
      where d.workspace_id = $1::bigint order by d.id`,
    workspaceId,
  );
  const attempts: Outcome[] = [];
  for (const { id, endpointId, endpoint, url, ...event } of deliveries) {
    const isRefused = endpoint === refusal.endpoint && event.type === refusal.eventType;
    const delivery = { id, createdAt: event.createdAt };
    const to = { id: endpointId, workspaceId, url };
    attempts.push(...(await makeUpAttempts(to, delivery, event, isRefused ? refusal : answer)));
  }
  for (const attempt of attempts.toSorted((a, b) => Number(a.startedAt) - Number(b.startedAt)))
    await recordOutcomesOf(steps, workspaceId, [attempt]);
  await steps.$executeRawUnsafe(
    `update webhook_deliveries d set updated_at = (
        select max(a.started_at + a.duration_ms * interval '1 millisecond') from webhook_attempts a
        where a.workspace_id = $1::bigint and a.delivery_id = d.id)
      where d.workspace_id = $1::bigint`,
    workspaceId,
  );
}

/** A UUID of version 4's form that is the same every time. */
function uuidOf(random: Random): string {
  const hex = Array.from({ length: 32 }, () => random.below(16).toString(16)).join('');
  const variant = '89ab'[random.below(4)];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}
