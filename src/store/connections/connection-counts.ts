// The maximum number of connections to PostgreSQL that a gateway opens, over all its processes.
import { SCANS } from './queues.ts';

/**
 * Connections for short reads, over all processes of a gateway. Each process has at least two, because with fewer it could not route around
 * a stalled one.
 */
export const READERS = 4;
const MIN_READERS = 2;
/** Connections of each process for look-ups of credentials and hosts. */
export const LOOKUP_READERS = 2;
/** Stalled reading connections may be replaced by as many others. */
const STALLED_FACTOR = 2;
/** Each process has one connection that listens for changes. */
const LISTENING = 1;
/** One process delivers webhooks: it has a pool, and one connection that listens for due deliveries. */
const DELIVERY = 5;

/** The maximum of simultaneous connections, while some are stalled. @param gateway `poolSize` is that of the whole gateway */
export function mostConnections(gateway: {
  readonly poolSize: number;
  readonly workers: number;
  readonly jobs: boolean;
}): number {
  const { poolSize, workers, jobs } = gateway;
  const reading = STALLED_FACTOR * (readersOf(workers) + LOOKUP_READERS + SCANS);
  return poolSize + workers * (reading + LISTENING) + (jobs ? DELIVERY : 0);
}

/** The same for each replica. Each process has one connection that asks for the replica's position. */
export function mostReplicaConnections(workers: number): number {
  return workers * (STALLED_FACTOR * (readersOf(workers) + SCANS) + 1);
}

/** Connections for short reads in each of so many processes. */
export function readersOf(workers: number): number {
  return Math.max(MIN_READERS, Math.ceil(READERS / workers));
}
