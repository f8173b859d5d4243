// Public ids: six or more letters made from the 64-bit id and its type, so that two types never share one (DESIGN §5).
import Sqids from 'sqids';
import type { Store, Transaction } from './store.ts';

/** Tables with public ids. A number is for life: it is part of every public id of its table. */
const TYPE_NUMBER = {
  teams: 1,
  workspaces: 2,
  contacts: 3,
  tags: 4,
  refine_filters: 5,
  webhook_endpoints: 6,
  funnels: 7,
  pages: 8,
  funnel_steps: 9,
  api_keys: 10,
  users: 11,
  oauth_grants: 12,
} as const;

export type PublicIdTable = keyof typeof TYPE_NUMBER;

/** Letters only, in an order of our own, so that ids do not look like a count. */
const sqids = new Sqids({ alphabet: 'QwZrXnKdVbTfMjHgLcPsYxRkWzNqBvFtJmDhGpCyS', minLength: 6 });

/** The public id of a row. Sqids takes numbers up to 2^53; ids beyond are split in two. */
export function toPublicId(table: PublicIdTable, id: bigint): string {
  const high = Number(id >> 32n);
  const low = Number(id & 0xffff_ffffn);
  return sqids.encode(high === 0 ? [low, TYPE_NUMBER[table]] : [low, TYPE_NUMBER[table], high]);
}

/** Takes `count` fresh ids from a table's sequence, with the public ids that go with them. */
export async function allocateIds(
  db: Store['prisma'] | Transaction,
  table: PublicIdTable,
  count: number,
): Promise<{ id: bigint; publicId: string }[]> {
  const rows = await db.$queryRaw<{ id: bigint }[]>`
    select nextval(pg_get_serial_sequence(${table}, 'id')) as id from generate_series(1, ${count}::int)`;
  return rows.map(({ id }) => ({ id, publicId: toPublicId(table, id) }));
}
