// The calls between the primary and its workers.
import type { AddCounts } from '../../rates/counter.ts';

/** A worker's task. */
export interface Assignment {
  readonly databaseUrl: string;
  readonly workers: number;
  /**
   * Exactly one process also does the background work of the gateway: it delivers webhooks, and watches transactions that delay lists.
   */
  readonly isFirst: boolean;
  readonly port: number;
  /** Whether the banner contains a link that reveals the demo key. */
  readonly hasDemoLink: boolean;
}

/** Calls from a worker to the primary. */
export type OfPrimary = {
  /** Resolves when the store is ready. */
  assignment(): Promise<Assignment>;
  /** The worker has begun to answer requests. */
  listening(port: number): void;
  /** The worker cannot start; the message says why. */
  failed(message: string): void;
  addCounts(...counted: Parameters<AddCounts>): ReturnType<AddCounts>;
  noteWrite(credential: string): Promise<void>;
  hasWritten(credential: string): Promise<boolean>;
  redeem(code: string): Promise<string | null>;
};

/** Calls from the primary to a worker. */
export type OfWorker = {
  /** Ends the process after its running requests. */
  stop(): void;
  snapshot(): Promise<readonly unknown[]>;
};
