// The operator's access to teams and workspaces alike: both are addressed by id, and have a host below SERVICE_HOST.
import { statement } from '../sql/statements.ts';
import { query, type Store } from '../store.ts';

/** The tables with subdomains. */
export type HostedTable = 'teams' | 'workspaces';

/** A row with its host. */
export interface Hosted {
  readonly id: bigint;
  readonly publicId: string;
  readonly name: string;
  readonly subdomain: string;
}

/** Whether there is a row with this id. */
export async function hasRow(store: Store, table: HostedTable, id: bigint): Promise<boolean> {
  const find = statement(`${table}.has_row`, () => `select from ${table} where id = $1`);
  return (await query(store, find, [id])).length > 0;
}

/**
 * Changes a subdomain. Works with every version of the database schema. @returns undefined if there is no such row
 * @throws the store's error for a subdomain in use
 */
export async function setSubdomain(
  store: Store,
  table: HostedTable,
  id: bigint,
  subdomain: string,
): Promise<Hosted | undefined> {
  const set = statement(
    `${table}.set_subdomain`,
    () => `update ${table} set subdomain = $2, updated_at = greatest(updated_at + interval '1 millisecond', current_timestamp) where id = $1
      returning id, public_id as "publicId", name, subdomain`,
  );
  return (await query<Hosted>(store, set, [id, subdomain]))[0];
}
