// Tags that are applied to contacts.
import { requireScope } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { type AppliedTagRow, appliedTag } from '../../resources/applied-tags.ts';
import { tag } from '../../resources/tags.ts';
import { APPLIED_TAG_RULES } from '../../store/changing/applied-tags.ts';
import { contactTable } from '../../store/tables/contacts.ts';
import { tableOf } from '../../store/tables/tables.ts';
import type { ChangeAnswer } from '../changing/mutate.ts';
import type { WriteOptions } from '../input/write-options.ts';
import { parseRef, type Ref } from '../reading/refs.ts';
import { defineService } from '../service.ts';
import { appliedTagWrites } from './applying-tags.ts';

const CONTACTS = tableOf(contactTable);
const TAGS = tableOf(tag);

const writes = appliedTagWrites(appliedTag, APPLIED_TAG_RULES);
export const { writeScope, create, remove } = writes;

/** Removes a tag from a contact. @throws AppError `not_found` when the contact does not have the tag, `precondition_failed` */
export async function removeTag(
  ctx: Context,
  contact: Ref,
  tag: Ref,
  options: WriteOptions,
): Promise<ChangeAnswer<AppliedTagRow, 'removed'>> {
  const by = requireScope(ctx, writeScope);
  const contactId = parseRef(CONTACTS.title, CONTACTS.name, contact);
  const tagId = parseRef(TAGS.title, TAGS.name, tag);
  return writes.removeFound(
    ctx,
    by,
    [contactId, tagId],
    await writes.idOf(ctx, by, contactId, tagId),
    options,
  );
}

/** Everything that rest/ and graphql/ call of this noun. */
export const service = defineService(appliedTag, { writes });
