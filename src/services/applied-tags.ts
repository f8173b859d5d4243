// Tags that are applied to contacts.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { type AppliedTagRow, appliedTag } from '../resources/applied-tags.ts';
import { contact } from '../resources/contacts.ts';
import { tag } from '../resources/tags.ts';
import { APPLIED_TAG_RULES, findAppliedTagId } from '../store/changing/applied-tags.ts';
import { findById } from '../store/reading/rows.ts';
import { tableOf } from '../store/tables/tables.ts';
import type { Done } from './mutate.ts';
import type { Input } from './parse-fields.ts';
import { parseRef, type Ref } from './refs.ts';
import { isTaken } from './violations.ts';
import type { WriteOptions } from './write-options.ts';
import { writesOf } from './writes.ts';

const APPLIED_TAGS = tableOf(appliedTag);
const CONTACTS = tableOf(contact);
const TAGS = tableOf(tag);

const writes = writesOf(appliedTag, APPLIED_TAG_RULES);
export const { writeScope, remove } = writes;

/** Retries. After an insert fails because the tag is already applied, another request may remove it before we read it. */
const MAX_ATTEMPTS = 5;

/**
 * Applies a tag to a contact. If the contact has the tag already, nothing is changed or recorded.
 * @throws AppError as every creation does
 */
export async function create(
  ctx: Context,
  contact: Ref,
  input: Input,
  options: WriteOptions,
): Promise<Done<AppliedTagRow, 'created' | 'unchanged'>> {
  const { tenancy } = requireScope(ctx, writeScope);
  const { tagId = 0n } = writes.parse(input, 'creation');
  const name = input.nameOf('tagId', appliedTag.fields.tagId);
  for (let attempt = 1; ; attempt++) {
    try {
      const { row } = await writes.create(ctx, contact, input, options);
      return { outcome: 'created', row };
    } catch (error) {
      if (!(error instanceof AppError) || error.errors[0]?.field !== name) throw error;
      const contactId = parseRef(CONTACTS.title, CONTACTS.name, contact);
      const id = await findAppliedTagId(ctx, tenancy, contactId, tagId);
      // Not by `get`: a caller who may apply tags may lack its read scope.
      const row = id === null ? null : await findById(ctx, APPLIED_TAGS, tenancy, id);
      if (row !== null) return { outcome: 'unchanged', row };
      if (!isTaken(error) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Removes a tag from a contact. @throws AppError `not_found` when the contact does not have the tag, `precondition_failed` */
export async function removeTag(
  ctx: Context,
  contact: Ref,
  tag: Ref,
  options: WriteOptions,
): Promise<Done<AppliedTagRow, 'removed'>> {
  const by = requireScope(ctx, writeScope);
  const contactId = parseRef(CONTACTS.title, CONTACTS.name, contact);
  const tagId = parseRef(TAGS.title, TAGS.name, tag);
  const id = await findAppliedTagId(ctx, by.tenancy, contactId, tagId);
  return writes.removeFound(ctx, by, [contactId, tagId], id, options);
}
