// Erasing a contact: what is known of the person is blanked wherever it went (DESIGN §12). That something happened, when, and by
// whom stays.
import { contact } from '../resources/contacts.ts';
import { type Field, toSnakeCase } from '../resources/resource.ts';
import { sqlOf } from '../rows/columns.ts';
import { snapshot } from './changes/snapshots.ts';
import { bump } from './changes/statements.ts';
import type { Transaction } from './store.ts';
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

/** In this order: whoever has waited for the contact's lock sees in the statements behind it what the other change has recorded. */
const STATEMENTS = [
  `update contacts c set ${BLANK.join(', ')}, ${bump('c')} where c.workspace_id = $1::bigint and c.id = $2::bigint`,
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
export async function eraseContact(
  tx: { $executeRawUnsafe(text: string, ...values: unknown[]): PromiseLike<unknown> },
  workspaceId: bigint,
  contactId: bigint,
): Promise<void> {
  for (const statement of STATEMENTS) await tx.$executeRawUnsafe(statement, workspaceId, contactId);
}

/**
 * Locks a contact that is the caller's, before it is erased.
 * @returns what REST shows of it; of one that was deleted, what it showed last
 */
export async function lockForErasure(
  tx: Pick<Transaction, '$queryRawUnsafe'>,
  { teamId, workspaceIds }: Tenancy,
  contactId: bigint,
): Promise<{ workspaceId: bigint; json: string } | null> {
  const find = (text: string) =>
    tx.$queryRawUnsafe<{ workspaceId: bigint; json: string }[]>(text, teamId, workspaceIds, contactId);
  const [found] = await find(CONTACT_TO_ERASE);
  // It may have been deleted while its lock was waited for.
  return found ?? (await find(DELETED_CONTACT_TO_ERASE))[0] ?? null;
}

const CONTACT_TO_ERASE = `select t.workspace_id as "workspaceId", ${snapshot(contact, CONTACTS.columns)}::text as json
  from contacts t where t.id = $3::bigint and ${CONTACTS.owned('$1', '$2::bigint[]')} for update of t`;

/** The last entry that still says what it was: of its deletion, or of its erasure. */
const DELETED_CONTACT_TO_ERASE = `select a.workspace_id as "workspaceId", coalesce(a.after, a.before)::text as json
  from audit_entries a join workspaces w on w.id = a.workspace_id
  where w.team_id = $1 and ($2::bigint[] is null or w.id = any($2::bigint[]))
    and a.contact_id = $3::bigint and a.subject_type = '${contact.type}' and a.subject_id = $3::bigint and coalesce(a.after, a.before) is not null
  order by a.id desc limit 1`;
