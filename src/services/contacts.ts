// Contacts of a workspace.
import { CONTACT_RULES } from '../store/contacts.ts';
import { CONTACTS } from '../store/tables.ts';
import { readsOf } from './reads.ts';
import { writesOf } from './writes.ts';

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(
  CONTACTS,
  'contacts:read',
);
export const { writeScope, create, update, remove } = writesOf(CONTACTS, 'contacts:write', CONTACT_RULES);
