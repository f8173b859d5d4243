// What everything is handed: App (one a process) and Context (one a request), plain objects passed first.
import type { Actor } from './auth/actor.ts';
import type { AuthApp } from './auth/auth-app.ts';
import type { Host } from './auth/hosts.ts';
import type { FairQueue } from './fair-queue.ts';
import type { Logger } from './log.ts';
import type { Changes } from './store/store.ts';

export interface App extends AuthApp {
  /** In which password checks wait for each other: each is costly. */
  readonly passwordChecks: FairQueue;
  /** Sends requests to other servers. */
  readonly fetch: typeof fetch;
  /** One line a request. */
  readonly accessLog: Logger;
}

export interface Context extends App {
  readonly requestId: string;
  /** Aborted, with what the client is told, when the request's deadline has passed or its client has gone: its work ends. */
  readonly signal: AbortSignal;
  /** What the request has changed so far. */
  readonly changes: Changes;
  /** Who asks. */
  readonly actor: Actor;
  /** Where it was asked: an owned host or a custom domain, and what that narrows the request to. */
  readonly host: Host;
}
