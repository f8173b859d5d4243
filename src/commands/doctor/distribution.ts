// Whether Citus distributes the store, completely or in part.
import pg from 'pg';
import type { Settings } from '../../config/config.ts';
import { migrationState } from '../../store/migrations/migrations.ts';
import {
  type CitusFacts,
  isInPlace,
  type PlacedTable,
  readCitusFacts,
  readTables,
} from '../../store/shard-placement/state.ts';
import { NOT_WITH_CITUS } from '../replica-connections.ts';
import { type Finding, fail, ok, warn } from './findings.ts';

const NAME = 'distribution';
const TIMEOUT_MS = 5_000;

/** Checks the store at `url`. */
export async function checkDistribution({ secrets }: Settings, url: string): Promise<Finding[]> {
  const pool = new pg.Pool({ connectionString: url, max: 1, connectionTimeoutMillis: TIMEOUT_MS });
  pool.on('error', () => {});
  try {
    const { applied, pending } = await migrationState(pool);
    // Pending migrations may create tables.
    if (applied.length === 0 || pending.length > 0) return [];
    const client = await pool.connect();
    try {
      const hasReplicas = secrets.replicaUrls.length > 0;
      return distributionFindings(await readCitusFacts(client), await readTables(client), hasReplicas);
    } finally {
      client.release();
    }
  } finally {
    await pool.end();
  }
}

/** Findings about the facts in PostgreSQL's catalogs. */
export function distributionFindings(
  facts: CitusFacts,
  tables: readonly PlacedTable[],
  hasReplicas: boolean,
): Finding[] {
  const { version, isCoordinator, nodes, shards } = facts;
  if (version === null) return [ok(NAME, 'none: one PostgreSQL has all tables')];
  const run = 'npx funnel-gateway distribute, while no gateway runs';
  if (!isCoordinator)
    return [fail(NAME, 'this is a worker of Citus', 'name its coordinator in DATABASE_URL')];
  const distributed = tables.filter(({ wanted }) => wanted === 'distributed');
  const missing = tables.filter((table) => !isInPlace(table)).map(({ name }) => name);
  if (distributed.every(({ actual }) => actual !== 'distributed'))
    return [warn(NAME, `the extension citus ${version} is there, and no table is distributed`, run)];
  if (missing.length > 0)
    return [fail(NAME, `distributed in part: ${missing.join(', ')} should be and are not`, run)];
  const findings = [
    ok(
      NAME,
      `Citus ${version}: ${distributed.length} tables by workspace in ${shards} shards, ${nodes} ${nodes === 1 ? 'node takes' : 'nodes take'} them`,
    ),
  ];
  if (nodes < 2)
    findings.push(warn(NAME, 'one node has all shards', 'citus_add_node, then citus_rebalance_start'));
  if (hasReplicas)
    findings.push(fail(NAME, NOT_WITH_CITUS, 'serve refuses to start: take DATABASE_REPLICA_URLS out'));
  return findings;
}
