// Lists the erasures that a store knows, and repeats them in an older copy of it, such as a restored backup. The audit entries of erasures
// carry them from one store to the other.
import type pg from 'pg';
import { type Executor, executorOf } from '../connections/executor.ts';
import { ERASED } from '../sql/erased.ts';
import { eraseContact } from './contact-erasure.ts';
import { continueErasure, findUndoneOf } from './erasing.ts';

/** The columns of an audit entry that are carried over. It gets another id, because the older store assigns the same ids again. */
const COLUMNS = `workspace_id, action, subject_type, subject_id, contact_id, actor_kind, actor_id, client_id, request_id,
  before, after, created_at`;

type Client = Pick<pg.ClientBase, 'query'>;

/** The erasures that a store knows, each as JSON without line breaks. A store without the table knows none. */
export async function readErasures(client: Client): Promise<string[]> {
  const { rows: tables } = await client.query("select to_regclass('audit_entries') is not null as there");
  if (!(tables[0] as { there: boolean }).there) return [];
  const { rows } = await client.query<{ entry: string }>(
    `select replace(to_json(e)::text, E'\\n', ' ') as entry from (
      select ${COLUMNS} from audit_entries where action = '${ERASED}' order by created_at, id) e`,
  );
  return rows.map(({ entry }) => entry);
}

/** A valid erasure of an existing workspace: all required values are given. */
const GIVEN = `select g.workspace_id::text as "workspaceId", g.contact_id::text as "contactId", g.created_at::text as at
  from json_populate_record(null::audit_entries, $1::json) g
  where g.action = '${ERASED}' and g.workspace_id is not null and g.contact_id is not null and g.created_at is not null
    and exists (select from workspaces w where w.id = g.workspace_id)`;

const IS_KNOWN = `select 1 from audit_entries a where a.workspace_id = $1::bigint and a.contact_id = $2::bigint
  and a.action = '${ERASED}' and a.created_at = $3::timestamptz limit 1`;

const RECORD = `insert into audit_entries (${COLUMNS})
  select ${COLUMNS} from json_populate_record(null::audit_entries, $1::json) g`;

const IS_YOUNGER = `select 1 from contacts c
  where c.workspace_id = $1::bigint and c.id = $2::bigint and c.created_at > $3::timestamptz`;

interface Given {
  readonly workspaceId: string;
  readonly contactId: string;
  readonly at: string;
}

/**
 * Records an erasure unless the store knows it. Returns the contact to erase, or null. Handles one at a time, because in a distributed
 * store each is on one shard.
 */
async function record(client: Client, erasure: string): Promise<Given | null> {
  const [given] = (await client.query<Given>(GIVEN, [erasure])).rows;
  if (given === undefined) return null;
  const { workspaceId, contactId, at } = given;
  if ((await client.query(IS_KNOWN, [workspaceId, contactId, at])).rows.length > 0) return null;
  await client.query(RECORD, [erasure]);
  const isYounger = (await client.query(IS_YOUNGER, [workspaceId, contactId, at])).rows.length > 0;
  return isYounger ? null : given;
}

/** Executes `work` in one transaction of a client. */
async function within<T>(client: Client, work: (tx: Executor) => PromiseLike<T>): Promise<T> {
  await client.query('begin');
  try {
    const done = await work(executorOf(client));
    await client.query('commit');
    return done;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/**
 * Repeats erasures that were made after the store's copy was taken: all of them or none. If this ends early, the gateway blanks the rest.
 * Ids may have been assigned again: a contact that is younger than the erasure is a different one, and is kept.
 * @param client a dedicated connection
 * @param erasures from `readErasures`
 * @returns how many contacts were erased
 */
export async function repeatErasures(client: Client, erasures: readonly string[]): Promise<number> {
  const erased = await within(client, async (tx) => {
    const found = new Map<string, Given>();
    for (const erasure of erasures) {
      const given = await record(client, erasure);
      if (given !== null) found.set(`${given.workspaceId} ${given.contactId}`, given);
    }
    for (const { workspaceId, contactId } of found.values())
      await eraseContact(tx, BigInt(workspaceId), BigInt(contactId));
    return [...found.values()];
  });
  for (const { workspaceId, contactId } of erased) {
    const undone = await findUndoneOf(executorOf(client), BigInt(workspaceId), BigInt(contactId));
    if (undone !== null)
      await continueErasure((work) => within(client, work), undone, Number.POSITIVE_INFINITY);
  }
  return erased.length;
}
