// Contacts of a workspace.
import { CONTACTS } from '../store/tables.ts';
import { readsOf } from './reads.ts';

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(
  CONTACTS,
  'contacts:read',
);
