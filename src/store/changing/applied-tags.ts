// The SQL that is specific to applying tags and removing them.

import { MAX_TAGS } from '../../resources/tags.ts';
import { statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { query, type StoreContext } from '../store.ts';
import type { Table } from '../tables/table.ts';
import type { ChangeRules } from './rules.ts';

export const APPLIED_TAG_RULES: ChangeRules = {
  touchesParent: true,
  most: { perParent: MAX_TAGS, property: 'tagId' },
  constraints: { contact_tags_pkey: 'tagId' },
};

/**
 * Finds the id of the row that applies a tag to an object that the caller owns; null if the tag is not applied.
 * @param table the table of applied tags, whose parent is the object
 */
export async function findAppliedTagId(
  { store }: StoreContext,
  { name, parent, owned }: Table<{ id: bigint }>,
  tenancy: Tenancy,
  onId: bigint,
  tagId: bigint,
): Promise<bigint | null> {
  const ofBoth = statement(
    `${name}.of_both`,
    () => `select t.id::text from ${parent.table} p
      join ${name} t on t.workspace_id = p.workspace_id and t.${parent.column} = p.id and t.tag_id = $4
      where p.id = $3 and ${owned('$1', '$2')}`,
  );
  const { teamId, workspaceIds } = await store.placement.nameWorkspaces(tenancy, {
    table: parent.table,
    ids: [onId],
  });
  const [found] = await query<{ id: string }>(store, ofBoth, [teamId, workspaceIds, onId, tagId]);
  return found === undefined ? null : BigInt(found.id);
}
