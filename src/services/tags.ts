// Tags of a workspace.
import { TAGS } from '../store/reading/tables.ts';
import { readsOf } from './reads.ts';
import { writesOf } from './writes.ts';

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(TAGS, 'contacts:read');
export const { writeScope, create, update, remove } = writesOf(TAGS, 'contacts:write', { silent: true });
