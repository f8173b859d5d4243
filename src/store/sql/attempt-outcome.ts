// What came of an attempt to deliver, and what is written of it: in one statement, or in a distributed store in steps.

/** What came of an attempt, and what becomes of the delivery. */
export interface Outcome {
  readonly workspaceId: bigint;
  readonly endpointId: bigint;
  readonly deliveryId: bigint;
  readonly deliveryCreatedAt: Date;
  /** From 1. */
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly url: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  /** null without an answer. */
  readonly code: number | null;
  /** Why there is no complete one. */
  readonly error: string | null;
  readonly responseStart: string;
  readonly status: 'delivered' | 'pending' | 'failed';
  /** Until the next attempt; null where there is none. */
  readonly waitMs: number | null;
}

/** The columns of outcomes as JSON, on which both ways agree. */
export const GIVEN_COLUMNS = `"deliveryId" bigint, "deliveryCreatedAt" timestamptz, number int, "startedAt" timestamptz,
  "durationMs" int, url text, "requestHeaders" json, code int, error text, "responseStart" text, status text`;

export const ATTEMPT_COLUMNS = `workspace_id, delivery_id, number, started_at, duration_ms, url, request_headers,
  response_code, error, response_start`;

/** What becomes of the delivery `d` by the outcome `o`. One that was canceled meanwhile stays so, unless it was delivered. */
export const RESULT = `attempt_count = greatest(d.attempt_count, o.number), response_code = o.code,
  status = case when o.status = 'delivered' or d.status = 'pending' then o.status else d.status end`;

/** What becomes of a delivery that is given up. */
export const CANCELED = "status = 'canceled', next_attempt_at = null, updated_at = current_timestamp";
