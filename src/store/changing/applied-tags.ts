// The SQL that is specific to applying tags to contacts and removing them.

import { appliedTag } from '../../resources/applied-tags.ts';
import { MAX_TAGS } from '../../resources/tags.ts';
import { statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { query, type StoreContext } from '../store.ts';
import { tableOf } from '../tables/tables.ts';
import type { ChangeRules } from './rules.ts';

const APPLIED_TAGS = tableOf(appliedTag);

export const APPLIED_TAG_RULES: ChangeRules = {
  touchesParent: true,
  most: { perParent: MAX_TAGS, property: 'tagId' },
  constraints: { contact_tags_pkey: 'tagId' },
};

/** The id of the application of a tag to a contact that the caller owns; null where the tag is not applied. */
export async function findAppliedTagId(
  { store }: StoreContext,
  tenancy: Tenancy,
  contactId: bigint,
  tagId: bigint,
): Promise<bigint | null> {
  const ofBoth = statement(
    'contact_tags.of_both',
    () => `select t.id::text from contacts c
      join contact_tags t on t.workspace_id = c.workspace_id and t.contact_id = c.id and t.tag_id = $4
      where c.id = $3 and ${APPLIED_TAGS.owned('$1', '$2')}`,
  );
  const { teamId, workspaceIds } = await store.distribution.ownership(tenancy, {
    table: 'contacts',
    ids: [contactId],
  });
  const [found] = await query<{ id: string }>(store, ofBoth, [teamId, workspaceIds, contactId, tagId]);
  return found === undefined ? null : BigInt(found.id);
}
