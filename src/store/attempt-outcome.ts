// What came of an attempt to deliver.

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
