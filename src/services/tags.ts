// Tags of a workspace.

import { tag } from '../resources/tags.ts';
import { tableOf } from '../store/tables/tables.ts';
import { readsOf } from './reads.ts';
import { writesOf } from './writes.ts';

const TAGS = tableOf(tag);

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(TAGS, 'contacts:read');
export const { writeScope, create, update, remove } = writesOf(TAGS, 'contacts:write', { silent: true });
