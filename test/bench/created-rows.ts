// What is in the tables after contacts were created, changed and deleted: all of it, or a subject's figures are worth
// nothing. And the tables as they were before, for the next one.
import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import type { Manifest } from './dataset.ts';
import type { NewContact } from './new-contacts.ts';

/** The contacts beside those that the dataset was filled with: workspace $1, id from $2. */
const CREATED = 'workspace_id = $1 and id >= $2';
const rangeOf = ({ workspaceId, firstContactId, rows }: Manifest) => [workspaceId, firstContactId + rows];

/** Removes what was created, so that every subject writes into the same tables, with nothing left for a vacuum to do. */
export async function clearCreated(client: pg.Client, manifest: Manifest): Promise<void> {
  await client.query(
    'truncate audit_entries, events, idempotency_records, webhook_deliveries, webhook_attempts',
  );
  await client.query(`delete from contacts where ${CREATED}`, rangeOf(manifest));
  await client.query('vacuum contacts');
}

/** The ids of what was created, in the order of the contacts asked for. @throws Error when one is not there as it was asked for */
export async function readCreated(
  client: pg.Client,
  manifest: Manifest,
  contacts: readonly NewContact[],
): Promise<number[]> {
  const { rows } = await client.query<{ id: string } & NewContact>(
    `select id, email_address, first_name, last_name, phone_number from contacts where ${CREATED}`,
    rangeOf(manifest),
  );
  if (rows.length !== contacts.length)
    throw new Error(`${rows.length} contacts are there, of ${contacts.length} that were asked for`);
  const found = new Map(rows.map(({ id, ...contact }) => [contact.email_address, { id, contact }]));
  return contacts.map((asked) => {
    const { id, contact } = found.get(asked.email_address) ?? {};
    if (!isDeepStrictEqual(contact, asked))
      throw new Error(`${JSON.stringify(contact)} was created in place of ${JSON.stringify(asked)}`);
    return Number(id);
  });
}

/** What is written besides the contacts: so many rows of each kind, each with the snapshot of its contact. */
const HISTORY = `
  with wanted as (select unnest($2::bigint[]) as contact_id)
  select 'audit entry' as what, count(*) from wanted join audit_entries a
      on a.workspace_id = $1 and a.contact_id = wanted.contact_id and a.subject_id = wanted.contact_id
      and a.before is null and (a.after ->> 'id')::bigint = wanted.contact_id
      and exists (select from idempotency_records r where r.workspace_id = $1 and r.audit_entry_id = a.id)
  union all select 'audit entry in all', count(*) from audit_entries
  union all select 'idempotency record in all', count(*) from idempotency_records
  union all select 'contact.created', count(*) from wanted join events e
      on e.workspace_id = $1 and e.contact_id = wanted.contact_id and e.subject_id = wanted.contact_id
      and e.event_type = 'contact.created' and (e.data ->> 'id')::bigint = wanted.contact_id
  union all select 'contact.identified', count(*) from wanted join events e
      on e.workspace_id = $1 and e.contact_id = wanted.contact_id and e.subject_id = wanted.contact_id
      and e.event_type = 'contact.identified' and (e.data ->> 'id')::bigint = wanted.contact_id`;

/**
 * That each contact, just created, has its audit entry, its two events and the record of its key, and that nothing else does.
 * @param hasEvents false: there must be none
 * @throws Error with what is missing
 */
export async function requireHistory(
  client: pg.Client,
  manifest: Manifest,
  ids: readonly number[],
  hasEvents = true,
): Promise<void> {
  const { rows } = await client.query<{ what: string; count: string }>(HISTORY, [manifest.workspaceId, ids]);
  for (const { what, count } of rows) {
    const expected = hasEvents || !what.startsWith('contact.') ? ids.length : 0;
    if (Number(count) !== expected) throw new Error(`${what}: ${count} of ${expected}`);
  }
  const { rows: events } = await client.query<{ count: string }>('select count(*) from events');
  const expected = hasEvents ? ids.length * 2 : 0;
  if (Number(events[0]?.count) !== expected) throw new Error(`${events[0]?.count} events of ${expected}`);
}

/** That the snapshots of a contact say what was answered. @throws Error when one says something else */
export async function requireSnapshots(client: pg.Client, id: number, answer: string): Promise<void> {
  const { rows } = await client.query<{ snapshot: unknown }>(
    `select after as snapshot from audit_entries where contact_id = $1
      union all select data from events where contact_id = $1`,
    [id],
  );
  for (const { snapshot } of rows) {
    if (!isDeepStrictEqual(snapshot, JSON.parse(answer)))
      throw new Error(`${JSON.stringify(snapshot)} is kept, ${answer} was answered`);
  }
}

/** What changing one member of each, or deleting each, leaves: so many contacts, audit entries and events of that type. */
export async function requireChanged(
  client: pg.Client,
  manifest: Manifest,
  change: { readonly eventType: string; readonly count: number; readonly left: number },
): Promise<void> {
  const { rows } = await client.query<{ left: string; events: string; entries: string; records: string }>(
    `select (select count(*) from contacts where ${CREATED}) as left,
        (select count(*) from events where event_type = $3) as events,
        (select count(*) from audit_entries where before is not null) as entries`,
    [...rangeOf(manifest), change.eventType],
  );
  const [{ left, events, entries } = { left: 0, events: 0, entries: 0 }] = rows;
  if (Number(left) !== change.left || Number(events) !== change.count || Number(entries) < change.count)
    throw new Error(`${left} contacts, ${events} events ${change.eventType}, ${entries} audit entries`);
}
