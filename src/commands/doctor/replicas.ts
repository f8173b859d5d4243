// Checks whether the gateway would read from the replicas in DATABASE_REPLICA_URLS, by the gateway's own rules.
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../context.ts';
import type { ReplicaState } from '../../store/replicas/replica.ts';
import { findShortages } from '../replica-connections.ts';
import { type Finding, findingsOf } from './findings.ts';
import type { Limits } from './limits.ts';

const { ok, warn } = findingsOf('replicas');
const PAUSE_MS = 50;

/** Why a replica is not used, and what to do. */
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

/** Checks the replicas; without replicas there are no findings. It ignores changes of their states after the time limit. */
export async function checkReplicas(
  { store }: App,
  replicaUrls: readonly string[],
  limits: Limits,
): Promise<Finding[]> {
  if (replicaUrls.length === 0) return [];
  store.watchDatabase();
  const readings = () => store.replicas?.readings() ?? [];
  for (let waited = 0; waited < limits.answerMs; waited += PAUSE_MS) {
    if (readings().every(({ state }) => state === 'used')) break;
    await sleep(PAUSE_MS);
  }
  const found = readings().map(({ name, state, lagMs }) => {
    if (state !== 'used') return warn(`${name} is not read: it ${WHY[state][0]}`, WHY[state][1]);
    return ok(`${name} is read, ${Math.round(lagMs ?? 0)} ms behind at most`);
  });
  return [...found, ...(await checkConnections(replicaUrls, limits))];
}

async function checkConnections(urls: readonly string[], { answerMs }: Limits): Promise<Finding[]> {
  return (await findShortages(urls, answerMs)).map(({ address, most, allowed }) =>
    warn(
      `up to ${most} connections are opened to ${address}, which allows ${allowed}`,
      'raise max_connections, or put a pooler between',
    ),
  );
}
