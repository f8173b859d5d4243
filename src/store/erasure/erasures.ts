// Who has been erased, and erasing them again in a store that is from before that, such as a restored one (DESIGN §12). The audit
// entries of erasures say it, which go from store to store.
import type pg from 'pg';
import { type Executor, executorOf } from '../connections/executor.ts';
import { ERASED } from '../sql/erased.ts';
import { eraseContact } from './contact-erasure.ts';
import { continueErasure, findUndoneOf } from './erasing.ts';

/** What goes along of an audit entry. It gets another id: the ids of the store that it comes from are given again. */
const COLUMNS = `workspace_id, action, subject_type, subject_id, contact_id, actor_kind, actor_id, client_id, request_id,
  before, after, created_at`;

type Client = Pick<pg.ClientBase, 'query'>;

/** The erasures that a store knows, each as JSON without line ends. A store from before there were any knows none. */
export async function readErasures(client: Client): Promise<string[]> {
  const { rows: tables } = await client.query("select to_regclass('audit_entries') is not null as there");
  if (!(tables[0] as { there: boolean }).there) return [];
  const { rows } = await client.query<{ entry: string }>(
    `select replace(to_json(e)::text, E'\\n', ' ') as entry from (
      select ${COLUMNS} from audit_entries where action = '${ERASED}' order by created_at, id) e`,
  );
  return rows.map(({ entry }) => entry);
}

/** An erasure of a workspace that is there: what is asked for is whole. */
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

/** Records an erasure unless the store knows it. Returns who is to be erased, if anybody is. One at a time: each is of one shard where there are any. */
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
 * Erases again whoever has been erased since the store was as it is, all of them or nobody; what is left to blank when this ends early,
 * the gateway blanks. Ids may have been given again: a contact that is younger than the erasure is another one, and stays.
 * @param client a connection of its own
 * @param erasures as `readErasures` gives them
 * @returns how many contacts these are
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
