// Whether the replicas of DATABASE_REPLICA_URLS would be read, as a gateway finds it out.
import { setTimeout as sleep } from 'node:timers/promises';
import { closeApp, createApp } from '../../app.ts';
import type { Settings } from '../../config/config.ts';
import { createLogger } from '../../log.ts';
import { mostReplicaConnections } from '../../store/connection-counts.ts';
import type { ReplicaState } from '../../store/replicas/replica.ts';
import { readServerFacts } from '../../store/server-facts.ts';
import { addressOf } from '../database.ts';
import { type Finding, ok, warn } from './findings.ts';

const NAME = 'replicas';
const TIMEOUT_MS = 3_000;
/** Until it is known of all of them; one that is late may come. */
const WAIT_MS = 3_000;
const PAUSE_MS = 50;

/** What keeps a replica from being read, and what to do. */
const WHY: Readonly<Record<Exclude<ReplicaState, 'used'>, readonly [why: string, advice: string]>> = {
  unreachable: ['does not answer', 'start it, or correct DATABASE_REPLICA_URLS'],
  lagging: ['is further behind than REPLICA_MAX_LAG_MS', 'see pg_stat_replication on the primary'],
  no_replica: ['is no standby', 'name a streaming replica'],
  other_database: ['is of another cluster, or names another database', 'name a replica of DATABASE_URL'],
  other_timeline: [
    'is not known to be on the timeline of the primary',
    'wait for its next restartpoint, or grant pg_read_all_stats to the user',
  ],
  unknown: [
    'cannot be compared with the primary, which does not say where its log is',
    'name a primary of PostgreSQL in DATABASE_URL',
  ],
};

/** Nothing is said where there are none. */
export async function checkReplicas({ config, secrets }: Settings, databaseUrl: string): Promise<Finding[]> {
  const { replicaUrls } = secrets;
  if (replicaUrls.length === 0) return [];
  const log = createLogger('silent');
  const app = createApp(config, { databaseUrl, replicaUrls, secretKeys: () => [] }, { log, accessLog: log });
  const { store } = app;
  try {
    store.watchDatabase();
    const readings = () => store.replicas?.readings() ?? [];
    for (let waited = 0; waited < WAIT_MS; waited += PAUSE_MS) {
      if (readings().every(({ state }) => state === 'used')) break;
      await sleep(PAUSE_MS);
    }
    const found = readings().map(({ name, state, lagMs }) => {
      if (state !== 'used') return warn(NAME, `${name} is not read: it ${WHY[state][0]}`, WHY[state][1]);
      return ok(NAME, `${name} is read, ${Math.round(lagMs ?? 0)} ms behind at most`);
    });
    const connections = await Promise.all(replicaUrls.map((url) => checkConnections(url, config.workers)));
    return [...found, ...connections.flat()];
  } finally {
    await closeApp(app);
  }
}

/** Nothing is said of one that does not answer, or has enough. */
async function checkConnections(connectionString: string, workers: number): Promise<Finding[]> {
  const facts = await readServerFacts({ connectionString }, TIMEOUT_MS).catch(() => null);
  const most = mostReplicaConnections(workers);
  if (facts === null || facts.isPooled || most <= facts.maxConnections) return [];
  return [
    warn(
      NAME,
      `up to ${most} connections are opened to ${addressOf(connectionString)}, which allows ${facts.maxConnections}`,
      'raise max_connections, or put a pooler between',
    ),
  ];
}
