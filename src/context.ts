// App (one per process) and Context (one per request): plain objects that functions take as their first parameter.
import type { Actor } from './auth/actor.ts';
import type { AuthApp } from './auth/auth-app.ts';
import type { Host } from './auth/hosts.ts';
import type { FairQueue } from './concurrency/fair-queue.ts';
import type { Logger } from './output/log.ts';
import type { Rates } from './rates/rates.ts';
import type { Reading } from './store/replicas/reading.ts';
import type { Changes } from './store/store.ts';
import type { Metrics } from './telemetry/metrics.ts';
import type { RequestFacts } from './telemetry/request-facts.ts';
import type { Tracer } from './telemetry/tracing.ts';

export interface App extends AuthApp {
  /** Limits the concurrency of password checks, which need much processor time. */
  readonly passwordChecks: FairQueue;
  readonly rates: Rates;
  /** Sends HTTP requests to other servers. */
  readonly fetch: typeof fetch;
  /** Logs one line per request. */
  readonly accessLog: Logger;
  readonly metrics: Metrics;
  /** null: tracing is off. */
  readonly tracer: Tracer | null;
}

export interface Context extends App {
  readonly requestId: string;
  /** Aborted when the request's deadline passes or its client disconnects. The reason is the error for the client. */
  readonly signal: AbortSignal;
  /** The time of the deadline, in milliseconds as `performance.now()`; absent: there is none. */
  readonly deadline?: number | undefined;
  /** The request's changes so far. */
  readonly changes: Changes;
  /** The database server for its reads; absent: the primary. */
  readonly reading?: Reading;
  /** The facts about the request for its log line, metrics and trace. */
  readonly facts: RequestFacts;
  /**
   * Waits for a queue slot of the caller's team, for a request that costs this many points (http/request-turn.ts). A request that costs more
   * than expected releases its slot and waits again. Call it before the work, and not within a change. Absent: requests do not wait.
   */
  readonly waitForSlot?: ((points: number) => Promise<void> | undefined) | undefined;
  /** The caller. */
  readonly actor: Actor;
  /** The request's host, which may restrict the caller to one team or workspace. */
  readonly host: Host;
}
