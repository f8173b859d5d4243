// What the trial runs on, all of it real: a primary and two streaming replicas, a PgBouncer in transaction mode before each, and four
// gateways behind HAProxy.
//
//   clients -> HAProxy -> four gateways --+-> PgBouncer -> HAProxy -> the primary    (DATABASE_URL)
//                                         +-> PgBouncer -> each replica              (DATABASE_REPLICA_URLS)
//                                         +-> HAProxy -> the primary                 (DATABASE_LISTEN_URL)
//
// The replicas stream from HAProxy's address of the primary, so that they follow where it leads.
import pg from 'pg';
import { freePort } from '../../support/free-port.ts';
import { type Serving, serve } from '../faults/gateway.ts';
import { type PgBouncer, startPgBouncer } from '../faults/pgbouncer.ts';
import { startRedis } from '../faults/redis.ts';
import { createServers, type Server } from '../faults/servers.ts';
import { GATEWAYS, type HaProxy, startHaProxy } from './haproxy.ts';

export const REPLICAS = ['replica_1', 'replica_2'] as const;
/** Of the gateways: a replica that is further behind is left out. */
export const MAX_LAG_MS = 2_000;
/** HAProxy keeps idle connections: docs/operating.md says so much for clients that do. */
const SHUTDOWN_DELAY_MS = 6_000;
const POOLED_CONNECTIONS = 30;

const SETTINGS = {
  max_connections: '300',
  shared_buffers: '64MB',
  shared_preload_libraries: 'pg_stat_statements',
  // A replica that was away for a while finds what it missed.
  wal_keep_size: '512MB',
  wal_retrieve_retry_interval: '200ms',
  // Reads and replaying do not wait for each other.
  hot_standby_feedback: 'on',
  timezone: 'UTC',
};

/** A server, and direct connections of the trial's own to it. */
export interface Node {
  readonly server: Server;
  readonly pool: pg.Pool;
}

export interface Topology {
  /** The primary, and its replicas, as they began. */
  readonly primary: Node;
  readonly replicas: readonly [Node, Node];
  readonly all: readonly Node[];
  /** Of HAProxy: where clients send requests. */
  readonly origin: string;
  /** Of PostgreSQL behind HAProxy: whichever server is the primary. */
  readonly primaryUrl: string;
  readonly haproxy: HaProxy;
  readonly gateways: readonly Serving[];
  /** The Redis that gateways share; null: they share none. */
  readonly redisPort: number | null;
  /** The environment of a gateway that reads from so many replicas. */
  env(replicas: number): Record<string, string>;
  /** Starts one beside those behind HAProxy. */
  startGateway(env: Readonly<Record<string, string>>): Promise<Serving>;
  /** Starts the four, and waits until HAProxy sends requests to them. */
  startGateways(): Promise<void>;
  stop(): Promise<void>;
}

interface Options {
  /** Whether gateways connect to PostgreSQL itself. */
  readonly isDirect: boolean;
  /** Whether gateways share a Redis. */
  readonly hasRedis: boolean;
}

/** Starts servers, poolers and HAProxy; the gateways are started once there is something to serve. */
export async function startTopology({ isDirect, hasRedis }: Options): Promise<Topology> {
  const cleanups: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup().catch(() => {});
  };
  try {
    const servers = await createServers();
    cleanups.push(servers.remove);
    const { user } = servers;
    const haproxy = await startHaProxy(user);
    cleanups.push(haproxy.stop);
    const nodeOf = (server: Server): Node => {
      const pool = new pg.Pool({ connectionString: server.url, max: 2 });
      pool.on('error', () => {});
      cleanups.push(() => pool.end());
      return { server, pool };
    };
    const primary = nodeOf(await servers.create('primary', SETTINGS));
    await haproxy.lead('primary/primary', primary.server.port);
    await primary.pool.query('create extension pg_stat_statements');
    const replicas: Node[] = [];
    for (const name of REPLICAS) replicas.push(nodeOf(await servers.replicate(name, haproxy.primaryPort)));
    const [one, two] = replicas as [Node, Node];
    const primaryUrl = primary.server.url.replace(`:${primary.server.port}/`, `:${haproxy.primaryPort}/`);

    const poolers: PgBouncer[] = [];
    for (const url of [primaryUrl, one.server.url, two.server.url]) {
      const pooler = await startPgBouncer(url, { poolSize: POOLED_CONNECTIONS, user });
      cleanups.push(pooler.stop);
      poolers.push(pooler);
    }
    const [databaseUrl = '', ...replicaUrls] = isDirect
      ? [primaryUrl, one.server.url, two.server.url]
      : poolers.map(({ url }) => url);
    const redisPort = hasRedis ? await freePort() : null;
    if (redisPort !== null) {
      const redis = await startRedis(redisPort);
      cleanups.push(async () => redis.kill('SIGKILL'));
    }
    const env = (count: number) => ({
      ...{ DATABASE_URL: databaseUrl, DATABASE_LISTEN_URL: primaryUrl },
      ...(count > 0 && { DATABASE_REPLICA_URLS: replicaUrls.slice(0, count).join(',') }),
      ...(redisPort !== null && { REDIS_URL: `redis://127.0.0.1:${redisPort}` }),
      ...{ REPLICA_MAX_LAG_MS: String(MAX_LAG_MS), PREPARED_STATEMENTS: isDirect ? 'on' : 'off' },
      ...{ SHUTDOWN_DELAY_MS: String(SHUTDOWN_DELAY_MS), JOBS: 'off' },
      ...{ TRUST_PROXY: '127.0.0.1', RATE_LIMIT_ADDRESS: '0', RATE_LIMIT_KEY: '0', RATE_LIMIT_TEAM: '0' },
    });
    const startGateway = async (with_: Readonly<Record<string, string>>) => {
      const gateway = await serve(with_);
      cleanups.push(() => gateway.end('SIGKILL'));
      return gateway;
    };
    const gateways: Serving[] = [];
    return {
      ...{ primary, replicas: [one, two], all: [primary, one, two], origin: haproxy.origin, primaryUrl },
      ...{ haproxy, gateways, redisPort, env, startGateway, stop },
      async startGateways() {
        for (let number = 1; number <= GATEWAYS; number++) {
          const gateway = await startGateway(env(REPLICAS.length));
          gateways.push(gateway);
          await haproxy.lead(`gateways/gateway-${number}`, Number(new URL(gateway.origin).port));
        }
        await haproxy.untilReady(GATEWAYS);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Sets how far a replica is behind, from now on. */
export async function setDelay({ pool }: Node, delay: string): Promise<void> {
  await pool.query(`alter system set recovery_min_apply_delay = '${delay}'`);
  await pool.query('select pg_reload_conf()');
}
