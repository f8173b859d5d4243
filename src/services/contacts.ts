// Contacts of a workspace.
import { CONTACTS, type ContactRow } from '../store/tables.ts';
import { readsOf } from './reads.ts';

export type { ContactRow };

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(
  CONTACTS,
  'contacts:read',
  {
    one: 'Contact',
    parent: 'Workspace',
  },
);

/** True when the contact may be written to: an e-mail address, not unsubscribed, nothing that suppresses e-mail. */
export function isActive(contact: ContactRow): boolean {
  return (
    contact.emailAddress !== null &&
    contact.unsubscribedAt === null &&
    contact.emailSuppressionReason === null
  );
}
