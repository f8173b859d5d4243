// Lists the erasures that a store has recorded, and repeats them in an older copy of it, such as a restored backup. The records of
// erasures are kept for ever. In the list they have the form of audit entries.
import type pg from 'pg';
import { contact } from '../../resources/contacts.ts';
import { executorOf, transactionOn } from '../connections/executor.ts';
import { ERASED } from '../sql/erased.ts';
import { type Eraser, eraseContact } from './contact-erasure.ts';
import { continueErasure, findUndoneOf } from './erasing.ts';

type Client = Pick<pg.ClientBase, 'query'>;

/** A store that is not migrated yet may lack the columns of the eraser, which are then null. */
const LIST = `select json_build_object('workspace_id', x.workspace_id, 'action', '${ERASED}', 'contact_id', x.contact_id,
    'actor_kind', to_jsonb(x) -> 'actor_kind', 'actor_id', to_jsonb(x) -> 'actor_id', 'client_id', to_jsonb(x) -> 'client_id',
    'request_id', to_jsonb(x) -> 'request_id', 'created_at', x.erased_at)::text as entry
  from contact_erasures x order by x.erased_at, x.workspace_id, x.contact_id`;

/** The last erasure of each contact, as JSON without line breaks. A store without the table has none. */
export async function readErasures(client: Client): Promise<string[]> {
  const { rows: tables } = await client.query("select to_regclass('contact_erasures') is not null as there");
  if (!(tables[0] as { there: boolean }).there) return [];
  return (await client.query<{ entry: string }>(LIST)).rows.map(({ entry }) => entry);
}

/** Selects a valid erasure of an existing workspace: it has all required values. */
const GIVEN = `select g.workspace_id::text as "workspaceId", g.contact_id::text as "contactId", g.created_at::text as at,
    g.actor_kind, g.actor_id, g.client_id, g.request_id
  from json_populate_record(null::audit_entries, $1::json) g
  where g.action = '${ERASED}' and g.workspace_id is not null and g.contact_id is not null and g.created_at is not null
    and exists (select from workspaces w where w.id = g.workspace_id)`;

const IS_KNOWN = `select 1 from contact_erasures x
  where x.workspace_id = $1::bigint and x.contact_id = $2::bigint and x.erased_at >= $3::timestamptz`;

const IS_YOUNGER = `select 1 from contacts c
  where c.workspace_id = $1::bigint and c.id = $2::bigint and c.created_at > $3::timestamptz`;

/** A record that erases nothing: the contact that has this id now is another one. */
const KEEP_RECORD = `insert into contact_erasures (workspace_id, contact_id, events_through, entries_through, erased_at, done_at,
    actor_kind, actor_id, client_id, request_id)
  values ($1::bigint, $2::bigint, 0, 0, $3::timestamptz, $3::timestamptz, $4::text, $5::text, $6::text, $7::text)
  on conflict (workspace_id, contact_id) do nothing`;

const ENTRY = `insert into audit_entries (workspace_id, action, subject_type, subject_id, contact_id, actor_kind, actor_id, client_id,
    request_id, created_at)
  values ($1::bigint, '${ERASED}', '${contact.type}', $2::bigint, $2::bigint, $4::text, $5::text, $6::text, $7::text, $3::timestamptz)`;

interface ErasureInput extends Eraser {
  readonly workspaceId: string;
  readonly contactId: string;
  readonly at: string;
}

/**
 * Records an erasure unless the store has it. Returns the contact to erase, or null. Handles one at a time, because a statement
 * may be limited to one workspace (shard-placement/).
 */
async function record(client: Client, erasure: string): Promise<ErasureInput | null> {
  const [given] = (await client.query<ErasureInput>(GIVEN, [erasure])).rows;
  if (given === undefined) return null;
  const { workspaceId, contactId, at, actor_kind, actor_id, client_id, request_id } = given;
  const found = async (text: string) =>
    (await client.query(text, [workspaceId, contactId, at])).rows.length > 0;
  if (await found(IS_KNOWN)) return null;
  const values = [workspaceId, contactId, at, actor_kind, actor_id, client_id, request_id];
  if (await found(IS_YOUNGER)) {
    await client.query(KEEP_RECORD, values);
    return null;
  }
  if (actor_kind !== null) await client.query(ENTRY, values);
  return given;
}

/**
 * Repeats erasures that were made after the store's copy was taken: all of them or none. If this ends early, the gateway blanks the rest.
 * Ids may have been assigned again: a contact that is younger than the erasure is a different one, and is kept.
 * @param client a dedicated connection
 * @param erasures from `readErasures`
 * @returns how many contacts were erased
 */
export async function repeatErasures(client: Client, erasures: readonly string[]): Promise<number> {
  const tx = executorOf(client);
  const erased = await transactionOn(client, async () => {
    const found = new Map<string, ErasureInput>();
    for (const erasure of erasures) {
      const given = await record(client, erasure);
      if (given !== null) found.set(`${given.workspaceId} ${given.contactId}`, given);
    }
    for (const given of found.values())
      await eraseContact(tx, BigInt(given.workspaceId), BigInt(given.contactId), given);
    return [...found.values()];
  });
  for (const { workspaceId, contactId } of erased) {
    const undone = await findUndoneOf(tx, BigInt(workspaceId), BigInt(contactId));
    if (undone !== null)
      await continueErasure(
        (work) => transactionOn(client, () => work(tx)),
        undone,
        Number.POSITIVE_INFINITY,
      );
  }
  return erased.length;
}
