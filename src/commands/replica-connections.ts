// Checks whether replicas allow the connections that the gateway may open to them.
import { MOST_REPLICA_CONNECTIONS } from '../store/connections/connection-counts.ts';
import { readServerFacts } from '../store/inspection/server-facts.ts';
import { addressOf } from './database.ts';

const TIMEOUT_MS = 5_000;

/** A replica that allows too few connections. */
interface Shortage {
  readonly address: string;
  /** The maximum number of connections that the gateway opens to it. */
  readonly most: number;
  readonly allowed: number;
}

/**
 * Replicas that allow too few connections. Ignores a replica that does not answer, because reads then go elsewhere, and one behind a
 * pooler, which limits connections itself.
 */
export async function findShortages(urls: readonly string[], timeoutMs = TIMEOUT_MS): Promise<Shortage[]> {
  const most = MOST_REPLICA_CONNECTIONS;
  const found = await Promise.all(
    urls.map(async (connectionString) => {
      const facts = await readServerFacts({ connectionString }, timeoutMs).catch(() => null);
      if (facts === null || facts.isPooled || most <= facts.maxConnections) return [];
      return [{ address: addressOf(connectionString), most, allowed: facts.maxConnections }];
    }),
  );
  return found.flat();
}
