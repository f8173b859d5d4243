// App (one a process) and Context (one a request): plain objects that functions take as their first parameter.
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
  /** Limits the concurrency of password checks, which take much processor time. */
  readonly passwordChecks: FairQueue;
  readonly rates: Rates;
  /** Sends HTTP requests to other servers. */
  readonly fetch: typeof fetch;
  /** Logs one line a request. */
  readonly accessLog: Logger;
  readonly metrics: Metrics;
  /** null: nothing is traced. */
  readonly tracer: Tracer | null;
}

export interface Context extends App {
  readonly requestId: string;
  /** Aborted when the request's deadline has passed or its client has disconnected. The reason is the error for the client. */
  readonly signal: AbortSignal;
  /** What the request has changed so far. */
  readonly changes: Changes;
  /** Which server its reads are answered by; absent: the primary. */
  readonly reading?: Reading;
  /** What the request's log line, metrics and trace say of it. */
  readonly facts: RequestFacts;
  /**
   * Waits for the turn of the caller's team, for a request that costs so many points; a request that has its turn gives it up where it
   * turns out to cost more. To be called before the work that they stand for, and not within a change. Absent: nobody has to wait.
   */
  readonly turn?: ((points: number) => Promise<void> | undefined) | undefined;
  /** The caller. */
  readonly actor: Actor;
  /** The request's host, which may restrict the caller to one team or workspace. */
  readonly host: Host;
}
