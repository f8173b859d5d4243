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
