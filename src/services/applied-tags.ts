// Tags that stand on contacts.
import type { Context } from '../context.ts';
import type { AppliedTagRow } from '../resources/applied-tags.ts';
import { APPLIED_TAG_RULES, findAppliedTagId } from '../store/applied-tags.ts';
import { APPLIED_TAGS, CONTACTS, TAGS } from '../store/tables.ts';
import type { Tenancy } from '../store/tenancy.ts';
import type { Done } from './mutate.ts';
import { readsOf } from './reads.ts';
import { parseRef, type Ref } from './refs.ts';
import type { WriteOptions } from './write-options.ts';
import { writesOf } from './writes.ts';

export const { scope, get, getMany, list, listMany, countMany, existMany } = readsOf(
  APPLIED_TAGS,
  'contacts:read',
);
const writes = writesOf(APPLIED_TAGS, 'contacts:write', APPLIED_TAG_RULES);
export const { writeScope, create, remove } = writes;

/** Removes a tag from a contact. @throws AppError `not_found` where it does not stand on it, `precondition_failed` */
export async function removeTag(
  ctx: Context,
  contact: Ref,
  tag: Ref,
  options: WriteOptions,
): Promise<Done<AppliedTagRow, 'removed'>> {
  const contactId = parseRef(CONTACTS.title, CONTACTS.name, contact);
  const tagId = parseRef(TAGS.title, TAGS.name, tag);
  const find = (tenancy: Tenancy) => findAppliedTagId(ctx, tenancy, contactId, tagId);
  return writes.removeFound(ctx, [contactId, tagId], find, options);
}
