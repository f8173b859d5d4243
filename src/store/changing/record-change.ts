// The record of a change of several steps, written last in its transaction: claim of the idempotency key, audit entry and events. It uses
// the same SQL as a change of one statement.

import { type Resource, subjectTypeOf } from '../../resources/resource.ts';
import { BOUND_WAITS } from '../connections/time-limits.ts';
import { named, valuesOf } from '../sql/statements.ts';
import type { Transaction } from '../store.ts';
import { audit, type ChangeOutcome, claim, outbox, type Recorded, TOLD, type Told } from './records.ts';

export interface ChangeRecord {
  readonly workspaceId: bigint;
  /** The noun of the changed row. */
  readonly resource: Resource;
  /** The part of the audit entry's action after the dot, such as `erased`. */
  readonly action: string;
  readonly outcome: ChangeOutcome;
  readonly subjectId: bigint;
  /** The contact whose data the row holds. */
  readonly contactId: bigint | null;
  /** JSON. A retry is answered with `after`, or with `before` if `after` is null. */
  readonly before: string | null;
  readonly after: string | null;
  readonly events: readonly {
    readonly resource: Resource;
    /** The part of its type after the dot. */
    readonly name: string;
    readonly subjectId: bigint;
    /** JSON. */
    readonly data: string;
  }[];
  /** Changes of its children that are made with it; their events are among those above. Each gets an audit entry of its own. */
  readonly children?: readonly ChangeRecord[];
  /** How many rows were written besides the subject and this record, such as deliveries that are due again. */
  readonly rows?: number;
}

/** The row already was as requested: only the idempotency key is recorded. */
export interface Unchanged {
  readonly workspaceId: bigint;
  /** The JSON of the row. */
  readonly unchanged: string;
  /** The key has already been claimed. */
  readonly isClaimed?: true;
}

/** The members of an event in JSON, with their SQL types. */
const EVENT_MEMBERS = 'event_type text, subject_type text, subject_id bigint, data json';

/** The events of a change as a JSON array of `EVENT_MEMBERS`. Their data is JSON already and is inserted unchanged. */
function eventsAsJson(events: ChangeRecord['events']): string {
  const written = events.map(
    ({ resource, name, subjectId, data }) =>
      `{"event_type":"${resource.topic}.${name}","subject_type":"${subjectTypeOf(resource)}","subject_id":${subjectId},"data":${data}}`,
  );
  return `[${written.join()}]`;
}

/**
 * Writes the record of a change.
 * @returns which endpoints to notify; null when the idempotency key was claimed before: then nothing is written, and the transaction must
 * be rolled back
 */
export async function recordChange(
  tx: Transaction,
  recorded: Recorded,
  { resource, action, outcome, ...change }: ChangeRecord,
): Promise<Told | null> {
  const record = named(
    `${resource.table}.${action}.record`,
    `with changed as materialized (
      select $workspace_id::bigint as workspace_id, ${BOUND_WAITS}
    ), ${claim('changed', outcome)}, shown as (
      select workspace_id, $subject_id::bigint as id, $contact_id::bigint as contact_id,
        $before::json as before, $after::json as after from go
    ), ${audit(resource, action)}, ${outbox([
      `select go.workspace_id, e.event_type, e.subject_type, e.subject_id, $contact_id::bigint, e.data
        from go cross join json_to_recordset($events::json) e (${EVENT_MEMBERS})`,
    ])}
    select exists (select from go) as recorded, ${TOLD}`,
  );
  const values = {
    ...recorded,
    workspace_id: change.workspaceId,
    subject_id: change.subjectId,
    contact_id: change.contactId,
    before: change.before,
    after: change.after,
    events: eventsAsJson(change.events),
  };
  const [answer] = await tx.$queryRawUnsafe<(Told & { recorded: boolean })[]>(
    record.text,
    ...valuesOf(record, values),
  );
  return answer?.recorded ? answer : null;
}

/** Claims the idempotency key of a request that changes nothing. @returns whether the key was free */
export async function claimUnchanged(
  tx: Transaction,
  recorded: Recorded,
  workspaceId: bigint,
): Promise<boolean> {
  const claiming = named(
    'unchanged.claim',
    `with changed as materialized (
      select $workspace_id::bigint as workspace_id, ${BOUND_WAITS}
    ), ${claim('changed', 'updated')}
    select exists (select from go) as claimed`,
  );
  const values = { ...recorded, workspace_id: workspaceId };
  const [answer] = await tx.$queryRawUnsafe<{ claimed: boolean }[]>(
    claiming.text,
    ...valuesOf(claiming, values),
  );
  return answer?.claimed === true;
}
