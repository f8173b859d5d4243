// Whether a store is distributed by Citus (distribution/), and what is different there: a statement has to name the workspaces that it is
// about, for these say on which shards their rows are. Of a row that is known by its id alone they are those that the caller can reach.
import type pg from 'pg';
import { BlockRow, textOf } from '../rows/row-block.ts';
import { dropPlace, findPlaces, HAS_PLACES, type KnownRows, keepPlace } from './distribution/places.ts';
import { toStoreError } from './failures.ts';
import type { Readers } from './readers.ts';
import { type Statement, statement } from './statements.ts';
import type { Tenancy } from './tenancy.ts';

export interface Distribution {
  /** Asked once: a store is distributed while no gateway runs. */
  isDistributed(): Promise<boolean>;
  /**
   * The tenancy as statements need it: in a distributed store with every workspace that the caller reaches, else as it is.
   * @param known the rows that the statement is about: then with the workspaces alone that they are in
   * @throws AppError `unavailable`
   */
  reach(tenancy: Tenancy, known?: KnownRows): Promise<Tenancy>;
  /** Tells where a row is that the transaction makes, so that it is found by its id alone; elsewhere it does nothing. */
  keep(tx: Transaction, table: string, id: bigint, workspaceId: bigint): Promise<void>;
  /** Forgets where a row was that the transaction deletes. */
  drop(tx: Transaction, table: string, id: bigint): Promise<void>;
}

type Transaction = Parameters<typeof keepPlace>[0];

const FACTS = `select exists (select from pg_dist_partition where logicalrelid = to_regclass('contacts')) as "isDistributed",
  ${HAS_PLACES} as "hasPlaces"`;

interface Facts {
  readonly isDistributed: boolean;
  readonly hasPlaces: boolean;
}

const PLAIN: Facts = { isDistributed: false, hasPlaces: false };

const WORKSPACES: Statement = {
  name: 'workspaces.of_team',
  text: 'select t.id from workspaces t where t.team_id = $1::bigint order by t.id',
};

/** @param hasTenantRole without Citus; @param lookups where the workspaces of a team are asked for */
export function createDistribution(
  pool: pg.Pool,
  hasTenantRole: () => Promise<boolean>,
  lookups: Pick<Readers, 'read'>,
): Distribution {
  let found: Promise<Facts> | undefined;
  const find = async () => {
    if (await hasTenantRole()) return PLAIN;
    const { rows } = await pool.query<Facts>(FACTS);
    return rows[0] ?? PLAIN;
  };
  const facts = () => {
    found ??= find().catch((error: unknown) => {
      found = undefined;
      throw toStoreError(error);
    });
    return found;
  };
  const asked = async <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      throw toStoreError(error);
    });
  return {
    isDistributed: async () => (await facts()).isDistributed,
    async reach(tenancy, known) {
      const { workspaceIds } = tenancy;
      if (workspaceIds?.length === 1) return tenancy;
      const { isDistributed, hasPlaces } = await facts();
      if (!isDistributed) return tenancy;
      const places = known !== undefined && hasPlaces ? await asked(findPlaces(lookups, known)) : null;
      if (places !== null)
        return { ...tenancy, workspaceIds: places.filter((id) => workspaceIds?.includes(id) ?? true) };
      if (workspaceIds !== null) return tenancy;
      const rows = await asked(lookups.read(WORKSPACES, [tenancy.teamId]));
      const ids = rows.map((block, index) => BigInt(textOf(new BlockRow(block, index), 0) ?? 0));
      return { ...tenancy, workspaceIds: ids };
    },
    async keep(tx, table, id, workspaceId) {
      if ((await facts()).hasPlaces) await keepPlace(tx, table, id, workspaceId);
    },
    async drop(tx, table, id) {
      if ((await facts()).hasPlaces) await dropPlace(tx, table, id);
    },
  };
}

/** What executes a statement within a transaction. */
interface Queries {
  $queryRawUnsafe<Rows>(text: string, ...values: unknown[]): PromiseLike<Rows>;
}

/**
 * The tenancy with the workspace alone that a row is in, where several are named: a row of one shard can be locked. Null where no such
 * workspace has it.
 * @param tenancy of `reach`
 */
export async function inItsWorkspace(
  tx: Queries,
  table: string,
  tenancy: Tenancy,
  id: bigint,
): Promise<Tenancy | null> {
  const { workspaceIds } = tenancy;
  if (workspaceIds === null || workspaceIds.length === 1) return tenancy;
  const { text } = statement(
    `${table}.workspace_among`,
    () => `select t.workspace_id as "workspaceId" from ${table} t
      where t.id = $1::bigint and t.workspace_id = any($2::bigint[]) limit 1`,
  );
  const [found] = await tx.$queryRawUnsafe<{ workspaceId: bigint }[]>(text, id, workspaceIds);
  return found === undefined ? null : { ...tenancy, workspaceIds: [found.workspaceId] };
}
