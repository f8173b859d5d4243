// The maximum number of connections to PostgreSQL that a process opens.
import { SCANS } from './queues.ts';

/** Connections for short reads. */
export const READERS = 4;
/** Connections for look-ups of credentials and hosts. */
export const LOOKUP_READERS = 2;
/** Stalled reading connections can be replaced by as many others. */
const STALLED_FACTOR = 2;
/** The connection that listens for changes. */
const LISTENING = 1;
/** For delivering webhooks: a pool, and one connection that listens for due deliveries. */
const DELIVERY = 5;

/** The maximum number of simultaneous connections, including replacements of stalled ones. */
export function mostConnections({
  poolSize,
  jobs,
}: {
  readonly poolSize: number;
  readonly jobs: boolean;
}): number {
  const reading = STALLED_FACTOR * (READERS + LOOKUP_READERS + SCANS);
  return poolSize + reading + LISTENING + (jobs ? DELIVERY : 0);
}

/** The same for each replica, including the connection that reads the replica's position. */
export const MOST_REPLICA_CONNECTIONS = STALLED_FACTOR * (READERS + SCANS) + 1;
