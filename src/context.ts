// What everything is handed: App (one a process) and Context (one a request), plain objects passed first.
import type { Actor } from './auth/actor.ts';
import type { Host } from './auth/hosts.ts';
import type { IssuerKeys } from './auth/issuer-keys.ts';
import type { Keyring } from './auth/keyring.ts';
import type { Lookups } from './auth/lookups.ts';
import type { SigningKeyCache } from './auth/signing-key-cache.ts';
import type { Config } from './config/config.ts';
import type { FairQueue } from './fair-queue.ts';
import type { Logger } from './log.ts';
import type { Changes, Store } from './store/store.ts';

export interface App {
  readonly config: Config;
  readonly store: Store;
  readonly lookups: Lookups;
  /** What the secret keys are used through. */
  readonly keyring: Keyring;
  /** Whose turn it is to have a password checked. */
  readonly passwordChecks: FairQueue;
  readonly signingKeyCache: SigningKeyCache;
  /** The keys of the outside issuer; null where tokens are our own. */
  readonly issuerKeys: IssuerKeys | null;
  /** Requests to others. */
  readonly fetch: typeof fetch;
  readonly log: Logger;
  /** One line a request. */
  readonly accessLog: Logger;
  /** The time now; tests set it. */
  readonly clock: () => Date;
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
