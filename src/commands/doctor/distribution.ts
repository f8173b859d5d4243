// Checks whether Citus distributes the store, completely or in part.
import type pg from 'pg';
import type { MigrationState } from '../../store/migrations/migrations.ts';
import { NO_REPLICAS } from '../../store/shard-placement/placement.ts';
import {
  type CitusFacts,
  isInPlace,
  type PlacedTable,
  readCitusFacts,
  readTables,
} from '../../store/shard-placement/state.ts';
import { type Finding, findingsOf } from './findings.ts';

const { fail, ok, warn } = findingsOf('distribution');

/** Checks a store. */
export async function checkDistribution(
  pool: pg.Pool,
  { applied, pending }: MigrationState,
  hasReplicas: boolean,
): Promise<Finding[]> {
  // Pending migrations may create tables.
  if (applied.length === 0 || pending.length > 0) return [];
  const client = await pool.connect();
  try {
    return distributionFindings(await readCitusFacts(client), await readTables(client), hasReplicas);
  } finally {
    client.release();
  }
}

/** Findings about the facts in PostgreSQL's catalogs. */
export function distributionFindings(
  facts: CitusFacts,
  tables: readonly PlacedTable[],
  hasReplicas: boolean,
): Finding[] {
  const { version, isCoordinator, nodes, shards } = facts;
  if (version === null) return [ok('none: one PostgreSQL has all tables')];
  const run = 'npx funnel-gateway distribute, while no gateway runs';
  if (!isCoordinator) return [fail('this is a worker of Citus', 'name its coordinator in DATABASE_URL')];
  const distributed = tables.filter(({ wanted }) => wanted === 'distributed');
  const missing = tables.filter((table) => !isInPlace(table)).map(({ name }) => name);
  if (distributed.every(({ actual }) => actual !== 'distributed'))
    return [warn(`the extension citus ${version} is there, and no table is distributed`, run)];
  if (missing.length > 0)
    return [fail(`distributed in part: ${missing.join(', ')} should be and are not`, run)];
  const findings = [
    ok(
      `Citus ${version}: ${distributed.length} tables by workspace in ${shards} shards, ${nodes} ${nodes === 1 ? 'node takes' : 'nodes take'} them`,
    ),
  ];
  if (nodes < 2) findings.push(warn('one node has all shards', 'citus_add_node, then citus_rebalance_start'));
  if (hasReplicas) findings.push(fail(NO_REPLICAS, 'serve refuses to start: take DATABASE_REPLICA_URLS out'));
  return findings;
}
