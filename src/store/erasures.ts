// Who has been erased, and erasing them again in a store that is from before that, such as a restored one (DESIGN §12). The audit
// entries of erasures say it, which go from store to store.
import type pg from 'pg';
import { ERASED, eraseContact } from './contact-erasure.ts';
import { executorOf } from './executor.ts';

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

/** Records the erasures that the store does not know, and tells which contacts were not there anew since. */
const RECORD = `with given as (
    select * from json_populate_recordset(null::audit_entries, $1::json)
    where action = '${ERASED}' and workspace_id is not null and contact_id is not null and created_at is not null
  ), recorded as (
    insert into audit_entries (${COLUMNS})
    select ${COLUMNS} from given g
    where exists (select from workspaces w where w.id = g.workspace_id)
      and not exists (select from audit_entries a where a.workspace_id = g.workspace_id and a.contact_id = g.contact_id
        and a.action = g.action and a.created_at = g.created_at)
    returning workspace_id, contact_id, created_at
  )
  select distinct r.workspace_id as "workspaceId", r.contact_id as "contactId" from recorded r
  where exists (select from contacts c
      where c.workspace_id = r.workspace_id and c.id = r.contact_id and c.created_at <= r.created_at)
    or not exists (select from contacts c where c.workspace_id = r.workspace_id and c.id = r.contact_id)
  order by 1, 2`;

/**
 * Erases again whoever has been erased since the store was as it is, all of them or nobody. Ids may have been given again: a contact
 * that is younger than the erasure is another one, and stays.
 * @param client a connection of its own
 * @param erasures as `readErasures` gives them
 * @returns how many contacts these are
 */
export async function repeatErasures(client: Client, erasures: readonly string[]): Promise<number> {
  const tx = executorOf(client);
  await client.query('begin');
  try {
    const { rows } = await client.query<{ workspaceId: string; contactId: string }>(RECORD, [
      `[${erasures.join()}]`,
    ]);
    for (const { workspaceId, contactId } of rows)
      await eraseContact(tx, BigInt(workspaceId), BigInt(contactId));
    await client.query('commit');
    return rows.length;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}
