// How many connections to PostgreSQL a gateway opens at most, with all of its processes.
import { SCANS } from './queues.ts';

/** Connections for short reads, of all processes of a gateway as far as possible; each has two: fewer could not pass by one that is stalled. */
export const READERS = 4;
const MIN_READERS = 2;
/** Those of each process for look-ups of credentials and hosts. */
export const LOOKUP_READERS = 2;
/** As many more replace reading connections that are stalled. */
const STALLED_FACTOR = 2;
/** The one of each process that listens for changes. */
const LISTENING = 1;
/** What delivers webhooks, in one of the processes: its pool, and one that listens for what is due. */
const DELIVERY = 5;

/** Connections at the same time, at most, while some are stalled. @param gateway of which `poolSize` is the whole's */
export function mostConnections(gateway: {
  readonly poolSize: number;
  readonly workers: number;
  readonly jobs: boolean;
}): number {
  const { poolSize, workers, jobs } = gateway;
  const reading = STALLED_FACTOR * (readersOf(workers) + LOOKUP_READERS + SCANS);
  return poolSize + workers * (reading + LISTENING) + (jobs ? DELIVERY : 0);
}

/** The same to each replica. One of each process asks how far it is. */
export function mostReplicaConnections(workers: number): number {
  return workers * (STALLED_FACTOR * (readersOf(workers) + SCANS) + 1);
}

/** Connections for short reads of each of so many processes. */
export function readersOf(workers: number): number {
  return Math.max(MIN_READERS, Math.ceil(READERS / workers));
}
