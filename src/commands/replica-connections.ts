// Whether replicas can be read: not of a store that is distributed; and they have to allow as many connections as the processes of a gateway may
// open to each.
import { mostReplicaConnections } from '../store/connections/connection-counts.ts';
import { readServerFacts } from '../store/inspection/server-facts.ts';
import { addressOf } from './database.ts';

/** A list ends at the horizon that a replica has replayed, and shards are replayed each by itself. */
export const NOT_WITH_CITUS = 'replicas are not read of a store that Citus distributes';

const TIMEOUT_MS = 5_000;

/** A replica that allows too few. */
interface Shortage {
  readonly address: string;
  /** What is opened to it at most. */
  readonly most: number;
  readonly allowed: number;
}

/** Those that allow too few. Not one that does not answer, without which reads go elsewhere; before a pooler it decides. */
export async function findShortages(urls: readonly string[], workers: number): Promise<Shortage[]> {
  const most = mostReplicaConnections(workers);
  const found = await Promise.all(
    urls.map(async (connectionString) => {
      const facts = await readServerFacts({ connectionString }, TIMEOUT_MS).catch(() => null);
      if (facts === null || facts.isPooled || most <= facts.maxConnections) return [];
      return [{ address: addressOf(connectionString), most, allowed: facts.maxConnections }];
    }),
  );
  return found.flat();
}
