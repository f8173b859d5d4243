// Distributes a store with Citus: all tables that the migrations created, in one transaction. A failure leaves the store unchanged. A
// repeated call completes what is missing, such as a table of a later migration.
//
// Three things change on the way. Foreign keys are dropped and created again afterwards, because Citus accepts none to a table that is not
// yet in place. The role for tenants (tenant-role.ts) is not used with Citus, so its policies are dropped. A statement sets the time of a
// contact's change itself (`draw_time`), because a trigger on a shard cannot write on the coordinator. Such a trigger does not find the
// shard of another table either, so changes of steps update the pages themselves (`setIsShown`).

import pg from 'pg';
import { StartupError } from '../../errors.ts';
import { requestCancel } from '../connections/cancel.ts';
import { cancellingOn } from '../connections/cancelling.ts';
import { endingSession } from '../connections/ending-session.ts';
import { transactionOn } from '../connections/executor.ts';
import { BOUNDED_SESSIONS } from '../connections/time-limits.ts';
import { takeMigrationLock } from '../migrations/lock.ts';
import { migrationState } from '../migrations/migrations.ts';
import { withOwnPool } from '../migrations/own-pool.ts';
import { PARTITIONS_LOCK } from '../partitions/partitions.ts';
import { hasRowWorkspaces, makeRowWorkspaces } from '../shard-placement/row-places.ts';
import {
  type CitusFacts,
  isInPlace,
  type PlacedTable,
  readCitusFacts,
  readTables,
} from '../shard-placement/state.ts';

export interface DistributeOptions {
  /** The number of shards; used only the first time. */
  readonly shards: number;
  /** Called for each table when its rows are in place. */
  readonly onPlaced: (placed: number, of: number) => void;
  /** Aborting it leaves the store unchanged. */
  readonly signal: AbortSignal;
}

export interface Distributed {
  /** The tables that were moved; none if all were in place. */
  readonly distributed: readonly string[];
  readonly everywhere: readonly string[];
  /** The tables below a workspace, including those distributed before. */
  readonly tables: number;
  readonly shards: number;
  readonly nodes: number;
}

/** The table to distribute first; the shards of the others are placed with its shards. */
const FIRST = 'contacts';

/**
 * Moves the tables of a store to where they should be.
 * @throws StartupError that describes what is missing; then nothing is changed
 */
export function distribute(db: pg.Pool, options: DistributeOptions): Promise<Distributed> {
  return withOwnPool(db, 'distribute', async (pool) => {
    const client = await pool.connect();
    const { shards, signal } = options;
    const untilAborted = (work: () => Promise<void>) => endingSession({ pool, client, signal }, work);
    try {
      const facts = requireCluster(await readCitusFacts(client));
      await untilAborted(() => takeMigrationLock(client));
      requireMigrated(await migrationState(pool));
      const tables = await readTables(client);
      const missing = tables.filter((table) => !isInPlace(table));
      requirePossible(missing);
      const isWithoutPlaces = !(await hasRowWorkspaces(client));
      let { shards: cutInto } = facts;
      if (missing.length > 0 || isWithoutPlaces) {
        await requireNoGateway(client);
        await transactionOn(client, () =>
          untilAborted(async () => {
            await place(client, missing, options);
            if (isWithoutPlaces) await makeRowWorkspaces(client, shards);
            cutInto = (await readCitusFacts(client)).shards;
            // A process that has started meanwhile has read the earlier state.
            await client.query('select pg_stat_clear_snapshot()');
            await requireNoGateway(client);
          }),
        );
        await analyze(pool, client, signal);
      }
      const named = (wanted: PlacedTable['wanted']) =>
        missing.filter((table) => table.wanted === wanted).map(({ name }) => name);
      return {
        distributed: named('distributed'),
        everywhere: named('everywhere'),
        tables: tables.filter(({ wanted }) => wanted === 'distributed').length,
        shards: cutInto ?? 0,
        nodes: facts.nodes,
      };
    } catch (error) {
      if (error instanceof pg.DatabaseError)
        throw new StartupError(
          `The store was not distributed, and nothing was changed: ${error.message}${error.hint ? ` (${error.hint})` : ''}.`,
          { cause: error },
        );
      throw error;
    } finally {
      // Closed instead of reused, because the lock ends with the session.
      client.release(true);
    }
  });
}

/** Analyzes the distributed tables. The store stays distributed if the signal or a lost session prevents the statistics. */
async function analyze(pool: pg.Pool, client: pg.PoolClient, signal: AbortSignal): Promise<void> {
  const cancel = () => requestCancel(pool.options, client);
  await cancellingOn(signal, cancel, client.query('analyze')).catch(() => {});
}

function requireCluster(facts: CitusFacts): CitusFacts {
  const { version, isCoordinator, isKnown, nodes } = facts;
  if (version === null)
    throw new StartupError(
      'The database has no extension citus. Install Citus on every node, put it into shared_preload_libraries, and run "create extension citus" in this database on each; then name the coordinator in DATABASE_URL.',
    );
  if (!isCoordinator)
    throw new StartupError('This is a worker of Citus. Name its coordinator in DATABASE_URL.');
  if (!isKnown)
    throw new StartupError(
      'The coordinator is not among its own nodes, where small tables are kept too. Run "select citus_set_coordinator_host(\'its name\', its port)" there.',
    );
  if (nodes === 0)
    throw new StartupError(
      'No node of Citus takes shards. Run "select citus_add_node(\'its name\', its port)" on the coordinator for each worker.',
    );
  return facts;
}

function requireMigrated({ applied, pending, failed }: Awaited<ReturnType<typeof migrationState>>): void {
  if (applied.length > 0 && pending.length === 0 && failed.length === 0) return;
  throw new StartupError(
    'The database is not up to date with this version of the gateway: run "npx funnel-gateway migrate" first.',
  );
}

function requirePossible(missing: readonly PlacedTable[]): void {
  const wrong = missing.filter(({ wanted, actual }) => wanted === 'coordinator' || actual !== 'coordinator');
  if (wrong.length === 0) return;
  const told = wrong.map(({ name, actual, wanted }) => `${name} is ${actual}, and has to be ${wanted}`);
  throw new StartupError(
    `Tables were distributed by hand: ${told.join('; ')}. Undo that with undistribute_table.`,
  );
}

/** Requires that no gateway runs, because a gateway reads the state of the store only at its start. */
async function requireNoGateway(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ places: string[] | null }>(
    `select array_agg(distinct coalesce(host(client_addr), 'this machine')) as places from pg_stat_activity
      where datname = current_database() and backend_type = 'client backend' and application_name ~ $1`,
    [BOUNDED_SESSIONS],
  );
  const places = rows[0]?.places ?? null;
  if (places !== null)
    throw new StartupError(
      `Gateways are connected (from ${places.join(', ')}), so nothing was changed. Stop them, distribute the store, and start them again.`,
    );
}

const POLICIES = `select polrelid::regclass::text as name, polname as policy from pg_policy p join pg_class c on c.oid = p.polrelid
  where c.relnamespace = current_schema()::regnamespace`;

/** Each foreign key from or to these tables. */
const FOREIGN_KEYS = `select conrelid::regclass::text as name, conname as key, pg_get_constraintdef(oid) as definition
  from pg_constraint
  where contype = 'f' and conparentid = 0 and (conrelid::regclass::text = any($1) or confrelid::regclass::text = any($1))
  order by conname`;

/** The triggers to drop first, because copying existing rows to the nodes must not fire them. */
const TRIGGERS = `select tgrelid::regclass::text as name, tgname as trigger, pg_get_triggerdef(oid) as definition
  from pg_trigger where not tgisinternal and tgparentid = 0 and tgrelid::regclass::text = any($1) order by tgname`;

interface Trigger {
  readonly name: string;
  readonly trigger: string;
  readonly definition: string;
}

/**
 * The triggers that statements of a distributed store replace: they set the time of a change, `is_shown` of pages, the fulfillment status of
 * orders, and tagged products and funnels.
 */
const REPLACED_TRIGGERS = /^(take_time|tell_pages|keep_fulfillment_status|keep_tagged_(products|funnels))_/;

/** Replaces the procedure of the migration tenant_role, so that a later migration that calls it distributes its table. */
const OPEN_TO_TENANTS = `create or replace procedure open_to_tenants(opened regclass, privileges text, own text default '')
  language plpgsql as $$
begin
  if exists (select from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
    where i.indrelid = opened and i.indisprimary and a.attname = 'workspace_id')
  then
    perform create_distributed_table(opened, 'workspace_id', colocate_with => '${FIRST}');
  end if;
end
$$`;

async function place(
  client: pg.ClientBase,
  missing: readonly PlacedTable[],
  { shards, onPlaced }: DistributeOptions,
): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1)', [PARTITIONS_LOCK]);
  await dropPolicies(client);
  const names = missing.map(({ name }) => name);
  const { rows: triggers } = await client.query<Trigger>(TRIGGERS, [names]);
  for (const { name, trigger } of triggers)
    await client.query(`drop trigger ${pg.escapeIdentifier(trigger)} on ${name}`);
  const { rows: keys } = await client.query<{ name: string; key: string; definition: string }>(FOREIGN_KEYS, [
    names,
  ]);
  for (const { name, key } of keys)
    await client.query(`alter table ${name} drop constraint ${pg.escapeIdentifier(key)}`);
  await dropSearchIndexes(client);
  let placed = 0;
  for (const { name, wanted } of inOrder(missing)) {
    if (wanted === 'everywhere') await client.query('select create_reference_table($1)', [name]);
    else if (name === FIRST)
      await client.query(
        `select create_distributed_table($1, 'workspace_id', colocate_with => 'none', shard_count => $2)`,
        [name, shards],
      );
    else
      await client.query(`select create_distributed_table($1, 'workspace_id', colocate_with => $2)`, [
        name,
        FIRST,
      ]);
    placed += 1;
    onPlaced(placed, missing.length);
  }
  for (const { name, key, definition } of keys)
    await client.query(`alter table ${name} add constraint ${pg.escapeIdentifier(key)} ${definition}`);
  for (const { trigger, definition } of triggers)
    if (!REPLACED_TRIGGERS.test(trigger)) await client.query(definition);
  await client.query(OPEN_TO_TENANTS);
}

/** Drops the indexes for searches, which a distributed store does not have. */
async function dropSearchIndexes(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = current_schema()::regnamespace and c.relname like '%\\_search\\_idx'`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
}

async function dropPolicies(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; policy: string }>(POLICIES);
  for (const { name, policy } of rows)
    await client.query(`drop policy ${pg.escapeIdentifier(policy)} on ${name}`);
  for (const name of new Set(rows.map(({ name }) => name)))
    await client.query(`alter table ${name} disable row level security`);
}

/** Sorts tables: first those on every node, then the table with which the others are co-located. */
function inOrder(missing: readonly PlacedTable[]): PlacedTable[] {
  const rank = ({ name, wanted }: PlacedTable) => (wanted === 'everywhere' ? 0 : name === FIRST ? 1 : 2);
  return [...missing].sort((one, other) => rank(one) - rank(other));
}
