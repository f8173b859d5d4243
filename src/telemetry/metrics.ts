// The interface by which parts of the gateway report metrics. Requests and attempts are counted one by one; everything else is read at
// each scrape, so it costs nothing in between. Pure; kinds.ts lists the metrics read at a scrape, prometheus.ts has the numbers.
import type { Readings } from './kinds.ts';
import type { Endpoint } from './request-facts.ts';

/** An answered request. */
interface RequestSample {
  readonly method: string;
  readonly endpoint: Endpoint;
  readonly status: number;
  readonly durationSeconds: number;
  /** The error code; null when it was not refused. */
  readonly code: string | null;
}

/** An attempt to deliver a webhook. */
interface AttemptSample {
  readonly outcome: 'delivered' | 'retried' | 'failed';
  readonly durationSeconds: number;
}

/** All names are constants of the code. */
export interface Metrics {
  countRequest(sample: RequestSample): void;
  /** A request was refused by the rate limit with this name. */
  countRateLimited(limit: string): void;
  countAttempt(sample: AttemptSample): void;
  /** An endpoint was deactivated; the reasons are a fixed list. */
  countDeactivation(reason: string): void;
  /** Counts an unhandled error of the process. */
  countUnhandled(kind: 'rejection' | 'exception'): void;
  /**
   * Reads something at each scrape. Watching again under the same name replaces the earlier source.
   * @param name identifies the source within its kind; empty for a kind with one source
   * @param read returns null when the source has no values now
   */
  watch<Kind extends keyof Readings>(kind: Kind, name: string, read: () => Readings[Kind] | null): void;
  /** All metrics in Prometheus' text format. */
  render(): Promise<string>;
}

/** Measures nothing. */
export const noMetrics: Metrics = {
  countRequest() {},
  countRateLimited() {},
  countAttempt() {},
  countDeactivation() {},
  countUnhandled() {},
  watch() {},
  render: async () => '',
};
