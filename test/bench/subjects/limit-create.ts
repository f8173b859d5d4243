// A contact as the limit creates it: all rows that the gateway writes (the contact, its audit entry, its two events, the
// record of its idempotency key) in one prepared statement, which writes their JSON too. Nobody is asked who they are, and
// nothing is checked.
import { hash, randomUUID } from 'node:crypto';
import { NO_VISITS, type Query, rowsOf, shownColumns } from './limit-pages.ts';

const CREATE = `
  with t as (
    insert into contacts (workspace_id, email_address, first_name, last_name, phone_number)
    values ($1, $2, $3, $4, $5) returning *
  ), snapshot as materialized (
    select t.id, row_to_json(columns) as shown
    from t cross join lateral (select ${shownColumns("'[]'", "'{}'", NO_VISITS)}) columns
  ), audit as (
    insert into audit_entries (workspace_id, action, subject_type, subject_id, contact_id, actor_kind, actor_id, request_id, after)
    select $1, 'contact.created', 'Contact', id, id, 'api_key', 'nobody', $6, shown from snapshot
    returning id
  ), happened as (
    insert into events (workspace_id, event_type, subject_type, subject_id, contact_id, data)
    select $1, event_type, 'Contact', id, id, shown
    from snapshot cross join (values ('contact.created'), ('contact.identified')) types (event_type)
  ), record as (
    insert into idempotency_records (workspace_id, key_hash, request_hash, outcome, audit_entry_id)
    select $1, $7, $8, 'created', id from audit
  )
  select shown from snapshot`;

interface CreateBody {
  readonly contact: Readonly<
    Record<'email_address' | 'first_name' | 'last_name' | 'phone_number', string | null>
  >;
}

/** Creates what a body says under an idempotency key. @returns REST's JSON of the contact */
export function createContact(query: Query) {
  return async (path: string, key: string, body: string): Promise<string> => {
    const { contact } = JSON.parse(body) as CreateBody;
    const [row] = await rowsOf(query, 'create', CREATE, [
      path.split('/')[4],
      contact.email_address,
      contact.first_name,
      contact.last_name,
      contact.phone_number,
      randomUUID(),
      hash('sha256', `nobody POST ${path} ${key}`, 'buffer'),
      hash('sha256', body, 'buffer'),
    ]);
    return row?.[0] ?? '';
  };
}
