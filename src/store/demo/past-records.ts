// Records changes of a workspace of the demo as they are recorded when they are made, but at an earlier time: the audit entry, events, and
// their deliveries. What came of the deliveries is made up: nothing is sent.
import { drawEntryId, record } from '../changing/record.ts';
import type { ChangeRecord, Recorded } from '../changing/records.ts';
import type { Executor } from '../connections/executor.ts';
import type { Random } from '../seed/random.ts';
import type { DueDelivery, DueEndpoint, DueEvent } from '../webhooks/deliveries-due.ts';
import { type Outcome, recordOutcomesOf } from '../webhooks/delivery-outcomes.ts';
import { uuidOf } from './contacts.ts';
import type { AnswerData, HistoryData } from './data/shape.ts';

/** A delivery, and what its receiver answers to every attempt. */
interface AnsweredDelivery {
  readonly endpoint: Pick<DueEndpoint, 'id' | 'workspaceId' | 'url'>;
  readonly delivery: Pick<DueDelivery, 'id' | 'createdAt'>;
  readonly event: DueEvent;
  readonly answer: AnswerData;
}

/** The attempts of a delivery, from the first to the last, as they would have been. */
export type MakeUpAttempts = (answered: AnsweredDelivery) => Promise<readonly Outcome[]>;

/** A workspace whose changes are recorded, and by whom they are made. */
export interface PastChanges {
  readonly steps: Executor;
  readonly random: Random;
  readonly workspaceId: bigint;
  readonly by: Omit<Recorded, 'request_id'>;
  readonly answers: Pick<HistoryData, 'answer' | 'refusal'>;
  readonly makeUpAttempts: MakeUpAttempts;
  /** The attempts to deliver the events of its changes, which are still to be recorded. */
  readonly attempts: Outcome[];
}

/** What the transaction has recorded and not moved to its time yet. */
const IS_NEW = 'created_at = current_timestamp::timestamptz(3)';

/** Records a change, and makes up the attempts to deliver its events. */
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
  const events = await moveEvents(past, at);
  if (events.length > 0) await addAttempts(past, at, events);
}

type PastEvent = DueEvent & { readonly id: bigint };

async function moveEvents({ steps, random, workspaceId }: PastChanges, at: Date): Promise<PastEvent[]> {
  const written = await steps.$queryRawUnsafe<{ id: bigint }[]>(
    `select id from events where workspace_id = $1::bigint and ${IS_NEW} order by id`,
    workspaceId,
  );
  if (written.length === 0) return [];
  const uuids = written.map(() => uuidOf(random));
  return steps.$queryRawUnsafe<PastEvent[]>(
    `update events e set created_at = $2::timestamptz, uuid = u.uuid::uuid from unnest($3::bigint[], $4::text[]) u (id, uuid)
      where e.workspace_id = $1::bigint and e.${IS_NEW} and e.id = u.id
      returning e.id, e.uuid::text as uuid, e.event_type as type, e.subject_type as "subjectType", e.subject_id as "subjectId",
        e.data::text as data, e.api_version as "apiVersion", e.created_at as "createdAt", 'null' as page, 'null' as funnel`,
    ...[workspaceId, at.toISOString(), written.map(({ id }) => id), uuids],
  );
}

/** Moves the deliveries of events to their time as well. */
async function addAttempts(
  { steps, workspaceId, answers, makeUpAttempts, attempts }: PastChanges,
  at: Date,
  events: readonly PastEvent[],
): Promise<void> {
  const deliveries = await steps.$queryRawUnsafe<
    { id: bigint; eventId: bigint; endpointId: bigint; name: string; url: string }[]
  >(
    `update webhook_deliveries d set created_at = $2::timestamptz, updated_at = $2::timestamptz from webhook_endpoints e
      where d.workspace_id = $1::bigint and d.${IS_NEW} and e.workspace_id = $1::bigint and e.id = d.endpoint_id
      returning d.id, d.event_id as "eventId", e.id as "endpointId", e.name, e.url`,
    ...[workspaceId, at.toISOString()],
  );
  const { answer, refusal } = answers;
  for (const { id, eventId, endpointId, name, url } of deliveries) {
    const event = events.find((one) => one.id === eventId);
    if (event === undefined) throw new TypeError('A delivery of no event');
    const isRefused = name === refusal.endpoint && event.type === refusal.eventType;
    const endpoint = { id: endpointId, workspaceId, url };
    const delivery = { id, createdAt: event.createdAt };
    attempts.push(
      ...(await makeUpAttempts({ endpoint, delivery, event, answer: isRefused ? refusal : answer })),
    );
  }
}

/** Records the attempts in the order of their times, as a worker would have. */
export async function recordAttempts({ steps, workspaceId, attempts }: PastChanges): Promise<void> {
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
