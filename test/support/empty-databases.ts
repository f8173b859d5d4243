// Creates empty databases on a test file's own server.
import pg from 'pg';
import { afterAll } from 'vitest';
import { type Clusters, createClusters, query } from './cluster.ts';

export interface EmptyDatabases {
  readonly clusters: Clusters;
  readonly serverUrl: string;
  /** The server as its superuser. */
  readonly administratorUrl: string;
  /** Executes statements in a database as the superuser. */
  administrate(pool: pg.Pool, sql: string): Promise<void>;
  /** A new empty database of the gateway's user. */
  createDatabase(): Promise<pg.Pool>;
}

/** Starts the server. It ends with the test file. */
export async function emptyDatabases(): Promise<EmptyDatabases> {
  const clusters = createClusters();
  const pools: pg.Pool[] = [];
  const { url: serverUrl, administratorUrl } = await clusters.open(await clusters.folder());
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await clusters.clean();
  });
  return {
    clusters,
    serverUrl,
    administratorUrl,
    async administrate({ options }, sql) {
      const url = new URL(options.connectionString ?? '');
      url.username = new URL(administratorUrl).username;
      await query(url.href, sql);
    },
    async createDatabase() {
      const name = `test_${pools.length}`;
      await query(administratorUrl, `create database ${name} owner ${new URL(serverUrl).username}`);
      const pool = new pg.Pool({ connectionString: serverUrl.replace('/funnel_gateway?', `/${name}?`) });
      // Its connections may still be closing when the database is dropped.
      pool.on('error', () => {});
      pools.push(pool);
      return pool;
    },
  };
}
