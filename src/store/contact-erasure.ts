// Erasing a contact: what is known of the person is blanked wherever it went (DESIGN §12). That something happened, when, and by
// whom stays.
import { contact } from '../resources/contacts.ts';
import { type Field, toSnakeCase } from '../resources/resource.ts';
import { sqlOf } from '../rows/columns.ts';
import { findSnapshots } from './changes/find-snapshots.ts';
import { bumpAt } from './changes/times.ts';
import { inItsWorkspace } from './distribution.ts';
import type { Executor } from './executor.ts';
import { TYPE_NUMBER } from './public-ids.ts';
import { CONTACTS, tablesBelow } from './tables.ts';
import type { Tenancy } from './tenancy.ts';

/** The action of an erasure's audit entry. It holds nothing of the person and is never blanked: it says who has been erased. */
export const ERASED = `${contact.topic}.erased`;

/** What a blanked contact has: nothing but what it cannot be without. */
const BLANK = Object.entries<Field>(contact.fields)
  .filter(([property]) => sqlOf(CONTACTS.columns, property) === undefined)
  .flatMap(([property, { nullable, members }]) => {
    if (property === 'anonymous') return ['anonymous = true'];
    if (members !== undefined) return [`${toSnakeCase(property)} = '{}'`];
    return nullable ? [`${toSnakeCase(property)} = null`] : [];
  });

const OF_CONTACT = 'workspace_id = $1::bigint and contact_id = $2::bigint';

const ITS_EVENTS = `(select e.id from events e where e.workspace_id = $1::bigint and e.contact_id = $2::bigint)`;

/** Blanks the row. Its time is `$3`: lists are in the order of it. */
const BLANK_CONTACT = `update contacts c set ${BLANK.join(', ')}, ${bumpAt('$3')}
  where c.workspace_id = $1::bigint and c.id = $2::bigint`;
const TIME = `select draw_time(${TYPE_NUMBER.contacts})::text as now`;

/** Behind it, in this order: whoever has waited for the contact's lock sees in the statements behind it what the other change has recorded. */
const STATEMENTS = [
  ...tablesBelow(CONTACTS.name).map(
    ({ name, parent: { column } }) =>
      `delete from ${name} where workspace_id = $1::bigint and ${column} = $2::bigint`,
  ),
  `update audit_entries set before = null, after = null, erased_at = current_timestamp
    where ${OF_CONTACT} and action <> '${ERASED}' and erased_at is null`,
  `update events set data = null, erased_at = current_timestamp where ${OF_CONTACT} and erased_at is null`,
  // What is being sent at this moment arrives; what comes back is not kept (delivery-outcomes.ts).
  `update webhook_deliveries set status = 'canceled', next_attempt_at = null, updated_at = current_timestamp
    where workspace_id = $1::bigint and status = 'pending' and event_id in ${ITS_EVENTS}`,
  `update webhook_attempts set response_start = null
    where workspace_id = $1::bigint and response_start is not null and delivery_id in (
      select d.id from webhook_deliveries d where d.workspace_id = $1::bigint and d.event_id in ${ITS_EVENTS})`,
];

/** Erases a contact of a workspace, also one that has been deleted or erased before. Whoever calls it records it. */
export async function eraseContact(tx: Executor, workspaceId: bigint, contactId: bigint): Promise<void> {
  const [time] = await tx.$queryRawUnsafe<{ now: string }[]>(TIME);
  await tx.$executeRawUnsafe(BLANK_CONTACT, workspaceId, contactId, time?.now);
  for (const statement of STATEMENTS) await tx.$executeRawUnsafe(statement, workspaceId, contactId);
}

/**
 * Locks a contact that is the caller's, before it is erased.
 * @returns what REST shows of it; of one that was deleted, what it showed last
 */
export async function lockForErasure(
  tx: Pick<Executor, '$queryRawUnsafe'>,
  tenancy: Tenancy,
  contactId: bigint,
): Promise<{ workspaceId: bigint; json: string } | null> {
  const find = <Row>(text: string, { teamId, workspaceIds }: Tenancy) =>
    tx.$queryRawUnsafe<Row[]>(text, teamId, workspaceIds, contactId);
  const place = await inItsWorkspace(tx, 'contacts', tenancy, contactId);
  const [found] = place === null ? [] : await find<{ workspaceId: bigint }>(CONTACT_TO_ERASE, place);
  if (found !== undefined) {
    const [json] = await findSnapshots(tx, CONTACTS, found.workspaceId, [contactId]);
    if (json !== undefined) return { ...found, json };
  }
  // It may have been deleted while its lock was waited for.
  const [deleted] = await find<{ workspaceId: bigint; json: string }>(DELETED_CONTACT_TO_ERASE, tenancy);
  return deleted ?? null;
}

const CONTACT_TO_ERASE = `select t.workspace_id as "workspaceId"
  from contacts t where t.id = $3::bigint and ${CONTACTS.owned('$1', '$2::bigint[]')} for update of t`;

/** The last entry that still says what it was: of its deletion, or of its erasure. */
const DELETED_CONTACT_TO_ERASE = `select a.workspace_id as "workspaceId", coalesce(a.after, a.before)::text as json
  from audit_entries a join workspaces w on w.id = a.workspace_id
  where w.team_id = $1 and ($2::bigint[] is null or a.workspace_id = any($2::bigint[]))
    and a.contact_id = $3::bigint and a.subject_type = '${contact.type}' and a.subject_id = $3::bigint and coalesce(a.after, a.before) is not null
  order by a.id desc limit 1`;
