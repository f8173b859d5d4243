// Adds contacts in bulk.
import type pg from 'pg';
import { type BulkOptions, insertInChunks } from './bulk.ts';
import { createPerson } from './people.ts';
import { createRandom } from './random.ts';

const SPREAD_DAYS = 4 * 365;

/**
 * The people from whom the contacts' names are taken. Their addresses contain the contact's id, which is unique, and a reserved domain, so
 * that no real person gets mail (RFC 2606).
 */
const PEOPLE = ((random) => Array.from({ length: 1_000 }, () => createPerson(random)))(createRandom(1));

const INSERT = `insert into contacts (id, workspace_id, email_address, first_name, last_name, phone_number, time_zone,
    unsubscribed_at, email_suppression_reason, custom_attributes, created_at, updated_at)
  with c as materialized (
    select draw_id(3, 'contacts_id_seq') as id, $5::timestamptz - interval '1 day' * (${SPREAD_DAYS} * (1 - n / $4::float8)) as created
    from generate_series($2::int, $3::int) n
  )
  select c.id, $1::bigint, p."mailbox" || '.' || c.id || '@example.com', p."firstName", p."lastName",
    case when random() < 0.6 then p."phoneNumber" end, p."timeZone",
    case when random() < 0.08 then c.created + random() * ($5::timestamptz - c.created) end,
    case when random() < 0.02 then 'hard_bounce' end, json_build_object('country', p."country"), c.created, c.created
  from c join (select *, row_number() over () - 1 as number from json_to_recordset($6::json)
        as x ("mailbox" text, "firstName" text, "lastName" text, "phoneNumber" text, "timeZone" text, "country" text)) p
      on p.number = c.id % ${PEOPLE.length}`;

/**
 * Adds contacts to a workspace.
 * @returns how many were committed: fewer than requested after an abort
 */
export async function insertManyContacts(pool: pg.Pool, options: BulkOptions): Promise<number> {
  const { count, workspaceId, now } = options;
  const people = JSON.stringify(PEOPLE);
  return insertInChunks(pool, {
    ...options,
    chunkSize: 25_000,
    tables: ['contacts'],
    isCancelled: true,
    insert: (client, from, to) => client.query(INSERT, [workspaceId, from, to, count, now, people]),
  });
}
