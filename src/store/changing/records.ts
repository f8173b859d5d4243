// What every change records in addition to its row, and the time of a change.
import type { Resource } from '../../resources/description/resource.ts';
import type { Executor } from '../connections/executor.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { Table } from '../tables/table.ts';

/** Who makes a change, and its idempotency key, as the values of statement parameters. */
export interface ChangeOrigin {
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
export function tenancyOf({ team, workspaces }: ChangeOrigin): Tenancy {
  return { teamId: team, workspaceIds: workspaces };
}

/** The kind of a change. It is recorded, so that a retry gets the same answer. */
export type ChangeOutcome = 'created' | 'updated' | 'removed';

/** What happens to a row, in the words of its audit entry and event. */
export type RowAction = 'created' | 'updated' | 'deleted';

export const outcomeOf = (action: RowAction): ChangeOutcome => (action === 'deleted' ? 'removed' : action);

/** The record of a change of one row. */
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
    /** The contact whose data the object holds; absent: that of the change. */
    readonly contactId?: bigint | null;
    /** JSON of the object. The event contains what other readers may see of it. */
    readonly data: string;
  }[];
  /** The page that its events happened on; absent or null: none. */
  readonly pageId?: bigint | null;
  /** Changes of children that are made with it, each with an audit entry of its own. Their events are among those above. */
  readonly children?: readonly ChangeRecord[];
  /** How many rows were written in addition to the subject and this record, such as deliveries that are due again. */
  readonly rows?: number;
  /** What a change has read for its record together with its own statements, to save a round trip; absent: nothing. */
  readonly prepared?: PreparedRecord;
}

/** What a change reads before it is recorded. */
export interface PreparedRecord {
  readonly auditEntryId: bigint;
  /**
   * The endpoints to notify of the events' types, and perhaps of others, read after the id of the audit entry was drawn; undefined: they
   * are read when the events are written, as for events on a page.
   */
  readonly subscriptions?: readonly Subscription[] | undefined;
}

/** An endpoint to notify of events of a type. */
export interface Subscription {
  readonly endpoint_id: bigint;
  readonly event_type: string;
}

/** Whether endpoints are notified of this action on objects of a noun. */
export function isNotified({ events = [] }: Resource, action: string): boolean {
  return events.includes(action);
}

/** The row already had the requested values: only the idempotency key is recorded. */
export interface Unchanged {
  readonly workspaceId: bigint;
  /** The JSON of the row. */
  readonly unchanged: string;
}

/** How long a retry with the same key gets the first request's answer. */
export const KEY_LIFETIME = "interval '24 hours'";

/** The assignments that every change of a row makes. @param now the placeholder of the change's time, which was read before */
export function versionColumns(now: string, row = 'c'): string {
  return `row_version = ${row}.row_version + 1, updated_at = later_time(${row}.updated_at, ${now}::timestamptz)`;
}

/**
 * SQL of the time of a change of a table, from the database's clock. If lists are ordered by the time of changes, they do not read past it
 * until the transaction ends.
 */
export function changeTime(table: Pick<Table<{ id: bigint }>, 'name' | 'resource'> | undefined): string {
  return table?.resource.sorts === undefined ? 'clock_timestamp()' : `draw_time(${TYPE_NUMBER[table.name]})`;
}

/**
 * Draws the time of a change. If the table's lists are ordered by the time of changes, they do not read past it until the transaction ends.
 */
export async function timeOf(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  table?: Parameters<typeof changeTime>[0],
): Promise<string> {
  const [time] = await tx.$queryRawUnsafe<{ now: string }[]>(`select ${changeTime(table)}::text as now`);
  return time?.now ?? '';
}
