// What is special of contacts, as SQL: their changes, and finding one by its e-mail address.
import type { ChangeRules } from './changes/rules.ts';
import { emailKey } from './email-key.ts';
import { statement } from './statements.ts';
import { query, type StoreContext } from './store.ts';
import { APPLIED_TAGS, CONTACTS } from './tables.ts';
import type { Tenancy } from './tenancy.ts';

/** Whether a contact has what it is known by. */
const IS_KNOWN = '(n.email_address is not null or n.phone_number is not null)';

export const CONTACT_RULES: ChangeRules = {
  derived: { anonymous: { onCreate: `not ${IS_KNOWN}`, onUpdate: `o.anonymous and not ${IS_KNOWN}` } },
  // Its first e-mail address or phone number.
  events: { identified: { onCreate: 'not n.anonymous', onUpdate: 'o.anonymous and not n.anonymous' } },
  knownBy: { column: 'email_address', keyOf: emailKey },
  tags: APPLIED_TAGS,
  constraints: { contact_tags_workspace_id_tag_id_fkey: 'tagIds' },
};

/** The id of the contact with an e-mail address, in a workspace that is the caller's; null where there is none. */
export async function findByEmailAddress(
  { store }: StoreContext,
  { teamId, workspaceIds }: Tenancy,
  workspaceId: bigint,
  emailAddress: string,
): Promise<bigint | null> {
  const byAddress = statement(
    'contacts.email',
    () => `select t.id from contacts t where t.workspace_id = $3 and ${emailKey('t.email_address')} = ${emailKey('$4::text')}
      and ${CONTACTS.owned('$1', '$2')}`,
  );
  const [found] = await query<{ id: bigint }>(store, byAddress, [
    teamId,
    workspaceIds,
    workspaceId,
    emailAddress,
  ]);
  return found?.id ?? null;
}
