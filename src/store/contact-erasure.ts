// Erasing a contact: what is known of the person is blanked wherever it went (DESIGN §12). That something happened, when, and by
// whom stays.
import { contact } from '../resources/contacts.ts';
import { type Field, toSnakeCase } from '../resources/resource.ts';
import { sqlOf } from '../rows/columns.ts';
import { bump } from './changes/statements.ts';
import type { Transaction } from './store.ts';
import { APPLIED_TAGS, CONTACTS } from './tables.ts';

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

/** In this order: whoever has waited for the contact's lock sees in the statements behind it what the other change has recorded. */
const STATEMENTS = [
  `update contacts c set ${BLANK.join(', ')}, ${bump('c')} where c.workspace_id = $1::bigint and c.id = $2::bigint`,
  `delete from ${APPLIED_TAGS.name} where ${OF_CONTACT}`,
  `update audit_entries set before = null, after = null, erased_at = current_timestamp
    where ${OF_CONTACT} and action <> '${ERASED}' and erased_at is null`,
  `update events set data = null, erased_at = current_timestamp where ${OF_CONTACT} and erased_at is null`,
];

/** Erases a contact of a workspace, also one that has been deleted or erased before. Whoever calls it records it. */
export async function eraseContact(
  tx: Pick<Transaction, '$executeRawUnsafe'>,
  workspaceId: bigint,
  contactId: bigint,
): Promise<void> {
  for (const statement of STATEMENTS) await tx.$executeRawUnsafe(statement, workspaceId, contactId);
}
