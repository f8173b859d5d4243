// The outcome of a delivery attempt and the SQL that records it, shared by the one-statement form and the distributed form.

/** The outcome of an attempt, and the resulting state of the delivery. */
export interface Outcome {
  readonly workspaceId: bigint;
  readonly endpointId: bigint;
  readonly deliveryId: bigint;
  readonly deliveryCreatedAt: Date;
  /** Counted from 1. */
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** null without a response. */
  readonly code: number | null;
  /** Why there is no complete response. */
  readonly error: string | null;
  readonly responseStart: string;
  readonly status: 'delivered' | 'pending' | 'failed';
  /** Milliseconds until the next attempt; null where there is none. */
  readonly waitMs: number | null;
}

/** The columns of outcomes as JSON, shared by both forms. */
export const GIVEN_COLUMNS = `"deliveryId" bigint, "deliveryCreatedAt" timestamptz, number int, "startedAt" timestamptz,
  "durationMs" int, url text, "requestHeaders" json, code int, error text, "responseStart" text, status text`;

export const ATTEMPT_COLUMNS = `workspace_id, delivery_id, number, started_at, duration_ms, url, request_headers,
  response_code, error, response_start`;

/**
 * The assignments to the delivery `d` for the outcome `o`. A delivery that was canceled meanwhile stays canceled, unless it was delivered.
 */
export const RESULT = `attempt_count = greatest(d.attempt_count, o.number), response_code = o.code,
  status = case when o.status = 'delivered' or d.status = 'pending' then o.status else d.status end`;

/** The assignments for a delivery that is canceled. */
export const CANCELED = "status = 'canceled', next_attempt_at = null, updated_at = current_timestamp";
