// Erases a contact: personal data is blanked wherever it was copied. The contact's row is blanked at once, other rows afterwards
// (erasing.ts). The records keep what happened, when, and who did it.
import { isBelowContact } from '../../resources/contact-ways.ts';
import { contact } from '../../resources/contacts.ts';
import type { Field } from '../../resources/description/fields.ts';
import { toSnakeCase } from '../../resources/description/names.ts';
import { NOUNS } from '../../resources/nouns.ts';
import { sqlOf } from '../../rows/columns.ts';
import { lockRow } from '../changing/lock-row.ts';
import { type ChangeOrigin, versionColumns } from '../changing/records.ts';
import { findSnapshots } from '../changing/snapshots.ts';
import type { Executor } from '../connections/executor.ts';
import { leadsToContact } from '../sql/contact-ways.ts';
import { areFewBelowContact, blankOf } from '../sql/personal-data.ts';
import { TYPE_NUMBER } from '../sql/public-ids.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { contactTable } from '../tables/contacts.ts';
import { tableOf } from '../tables/tables.ts';

const CONTACTS = tableOf(contactTable);

/** Sets the columns of a blanked contact: only required values are left. */
const BLANK = Object.entries<Field>(contact.fields)
  .filter(([property]) => sqlOf(CONTACTS.columns, property) === undefined)
  .flatMap(([property, field]) => {
    if (property === 'anonymous') return ['anonymous = true'];
    const { nullable, members } = field;
    return nullable || members !== undefined ? [`${toSnakeCase(property)} = ${blankOf(field)}`] : [];
  });

/** Blanks the row. `$3` is the time of the change, because lists are ordered by it. */
const BLANK_CONTACT = `update contacts c set ${BLANK.join(', ')}, ${versionColumns('$3')}
  where c.workspace_id = $1::bigint and c.id = $2::bigint`;
const TIME = `select draw_time(${TYPE_NUMBER.contacts})::text as now`;

const LOCK =
  'select c.id from contacts c where c.workspace_id = $1::bigint and c.id = $2::bigint for update of c';

const FORGET_VISITS =
  'delete from contact_visits c where c.workspace_id = $1::bigint and c.contact_id = $2::bigint';

/**
 * The last ids that were assigned, and the time, rounded up: nothing was written later. Reads no table, because sequences may be on
 * another server (shard-placement/).
 */
const DRAWN = `select coalesce(pg_sequence_last_value('events_id_seq'::regclass), 0) as events,
  coalesce(pg_sequence_last_value('audit_entries_id_seq'::regclass), 0) as entries, date_trunc('milliseconds', clock_timestamp() + interval '1 millisecond')::text as now`;
/** The last id of the contact's rows. Rows of an import that did not advance the sequence have higher ids than the sequence. */
const lastIdIn = (table: 'events' | 'audit_entries') => `select coalesce(max(t.id), 0) as id from ${table} t
  where t.workspace_id = $1::bigint and t.contact_id = $2::bigint`;

const RECORD = `insert into contact_erasures as x (workspace_id, contact_id, events_through, entries_through, erased_at,
    rows_left, actor_kind, actor_id, client_id, request_id)
  values ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::timestamptz, true, $6::text, $7::text, $8::text, $9::text)
  on conflict (workspace_id, contact_id) do update set events_through = greatest(x.events_through, excluded.events_through),
    entries_through = greatest(x.entries_through, excluded.entries_through), erased_at = excluded.erased_at, done_at = null, rows_left = true,
    actor_kind = excluded.actor_kind, actor_id = excluded.actor_id, client_id = excluded.client_id,
    request_id = excluded.request_id`;

/** Identifies who made the erasure. */
export type Eraser = Pick<ChangeOrigin, 'actor_kind' | 'actor_id' | 'client_id' | 'request_id'>;

/** Deletes the rows below a contact whose nouns have few rows per contact. Children first: parents would delete them by foreign keys. */
const DELETE_FEW = NOUNS.filter((noun) => isBelowContact(noun) && areFewBelowContact(noun))
  .toReversed()
  .map(
    (noun) =>
      `delete from ${noun.table} c where c.workspace_id = $1::bigint and ${leadsToContact(noun, 'c', '$1::bigint', '$2::bigint')}`,
  );

/**
 * Erases a contact of a workspace, even if it was deleted or erased before. Its row is blanked, and everything written about it so far is
 * recorded as erased, which hides it; erasing.ts blanks that once this transaction has committed. So this takes as long for a contact with
 * many orders as for one without. The caller records the erasure as a change.
 *
 * Changes of the contact, and of what shows its data, lock it before they are assigned ids (lock-row.ts), so those with lower ids have
 * committed. The contact's time is taken last, because lists show nothing newer until this transaction has committed.
 * @param by null: unknown
 */
export async function eraseContact(
  tx: Executor,
  workspaceId: bigint,
  contactId: bigint,
  by: Eraser | null,
): Promise<void> {
  await tx.$queryRawUnsafe(LOCK, workspaceId, contactId);
  // Recording visits of the contact locks it (changing/visits.ts): such changes have committed, or will find the record of the erasure.
  await tx.$executeRawUnsafe(FORGET_VISITS, workspaceId, contactId);
  for (const text of DELETE_FEW) await tx.$executeRawUnsafe(text, workspaceId, contactId);
  const [drawn] = await tx.$queryRawUnsafe<{ events: bigint; entries: bigint; now: string }[]>(DRAWN);
  if (drawn === undefined) throw new TypeError('The last ids were not told');
  const through = async (table: 'events' | 'audit_entries', last: bigint) => {
    const [found] = await tx.$queryRawUnsafe<{ id: bigint }[]>(lastIdIn(table), workspaceId, contactId);
    return found !== undefined && found.id > last ? found.id : last;
  };
  const events = await through('events', drawn.events);
  const entries = await through('audit_entries', drawn.entries);
  const eraser = [
    by?.actor_kind ?? null,
    by?.actor_id ?? null,
    by?.client_id ?? null,
    by?.request_id ?? null,
  ];
  await tx.$executeRawUnsafe(RECORD, workspaceId, contactId, events, entries, drawn.now, ...eraser);
  const [time] = await tx.$queryRawUnsafe<{ now: string }[]>(TIME);
  await tx.$executeRawUnsafe(BLANK_CONTACT, workspaceId, contactId, time?.now);
}

/**
 * Locks a contact that the caller owns, before it is erased.
 * @returns its JSON as REST shows it; for a deleted contact, the last state
 */
export async function lockForErasure(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  tenancy: Tenancy,
  contactId: bigint,
): Promise<{ workspaceId: bigint; json: string } | null> {
  const found = await lockRow(tx, CONTACTS, tenancy, contactId);
  if (found !== null) {
    const [json] = await findSnapshots(tx, CONTACTS, found.workspaceId, [contactId]);
    if (json !== undefined) return { ...found, json };
  }
  // It may have been deleted while this waited for the lock.
  const [deleted] = await tx.$queryRawUnsafe<{ workspaceId: bigint; json: string }[]>(
    ...[DELETED_CONTACT_TO_ERASE, tenancy.teamId, tenancy.workspaceIds, contactId],
  );
  return deleted ?? null;
}

/** The last audit entry that still has the contact's data: that of its deletion or of its erasure. */
const DELETED_CONTACT_TO_ERASE = `select a.workspace_id as "workspaceId", coalesce(a.after, a.before)::text as json
  from audit_entries a join workspaces w on w.id = a.workspace_id
  where w.team_id = $1 and ($2::bigint[] is null or a.workspace_id = any($2::bigint[]))
    and a.contact_id = $3::bigint and a.subject_type = '${contact.type}' and a.subject_id = $3::bigint and coalesce(a.after, a.before) is not null
  order by a.id desc limit 1`;
