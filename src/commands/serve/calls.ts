// What the primary and its processes ask each other.
import type { Lease, LeaseRequest } from '../../rates/accounts.ts';

/** What a process is to do. */
export interface Assignment {
  readonly databaseUrl: string;
  readonly workers: number;
  /** One of the processes also does what is done once for a gateway: it delivers webhooks, and watches what holds lists up. */
  readonly isFirst: boolean;
  readonly port: number;
  /** Whether the banner has a link that the demo key can be had by. */
  readonly hasDemoLink: boolean;
}

/** Asked by a process. */
export type OfPrimary = {
  /** When the store is ready. */
  assignment(): Promise<Assignment>;
  /** It answers requests. */
  listening(port: number): void;
  /** It cannot, for a reason that is said in a sentence. */
  failed(message: string): void;
  lease(request: LeaseRequest): Promise<Lease>;
  redeem(code: string): Promise<string | null>;
};

/** Asked by the primary. */
export type OfWorker = {
  /** Ends the process when its requests have ended. */
  stop(): void;
  snapshot(): Promise<readonly unknown[]>;
  giveUp(limit: string, key: string, window: number): number;
};
