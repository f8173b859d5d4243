// The SQL that is specific to contacts: their changes, and finding one by its e-mail address.

import { emailKey } from '../sql/email-key.ts';
import { statement } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { query, type StoreContext } from '../store.ts';
import { appliedTagTable } from '../tables/applied-tags.ts';
import { contactTable } from '../tables/contacts.ts';
import { tableOf } from '../tables/tables.ts';
import { insertionOf } from './insert-row.ts';
import type { ChangeRules } from './rules.ts';

const APPLIED_TAGS = tableOf(appliedTagTable);
const CONTACTS = tableOf(contactTable);

/** Whether a contact is identified by an e-mail address or phone number. Forms send an empty phone number if the field was left blank. */
const IS_KNOWN = `(n.email_address is not null or coalesce(n.phone_number, '') ~ '\\S')`;

/** The constraint that is violated if a concurrent request gives a contact the same address. */
export const ADDRESS_CONSTRAINT = 'contacts_workspace_id_email_address_key';

export const CONTACT_RULES: ChangeRules = {
  derived: { anonymous: { onCreate: `not ${IS_KNOWN}`, onUpdate: `o.anonymous and not ${IS_KNOWN}` } },
  // The event of a contact that gets its first e-mail address or phone number.
  events: { identified: { onCreate: 'not n.anonymous', onUpdate: 'o.anonymous and not n.anonymous' } },
  knownBy: { column: 'email_address', keyOf: emailKey },
  tags: APPLIED_TAGS,
  constraints: { contact_tags_workspace_id_tag_id_fkey: 'tagIds' },
};

/**
 * Finds the id of the contact with an e-mail address, in a workspace that the caller owns; null if there is none. Not executed as the
 * tenant role: under row-level security PostgreSQL uses an index only for leakproof conditions, and this expression is not leakproof.
 */
export async function findByEmailAddress(
  { store }: StoreContext,
  tenancy: Tenancy,
  workspaceId: bigint,
  emailAddress: string,
): Promise<bigint | null> {
  const byAddress = statement(
    'contacts.email',
    () => `select t.id, t.workspace_id as "workspaceId" from contacts t where t.workspace_id = $3 and ${emailKey('t.email_address')} = ${emailKey('$4::text')}
      and ${CONTACTS.owned('$1', '$2')}`,
  );
  const values = [tenancy.teamId, tenancy.workspaceIds, workspaceId, emailAddress];
  const [found] = await query<{ id: bigint; workspaceId: bigint }>(store, byAddress, values);
  if (found === undefined) return null;
  await store.rowGuard.requireWorkspace(found.workspaceId, tenancy, byAddress.name);
  return found.id;
}

/** As `findByEmailAddress`, for several addresses in their order. */
export async function findByEmailAddresses(
  { store }: StoreContext,
  tenancy: Tenancy,
  workspaceId: bigint,
  emailAddresses: readonly string[],
): Promise<(bigint | null)[]> {
  if (emailAddresses.length === 0) return [];
  const byAddresses = statement(
    'contacts.emails',
    () => `select t.id, t.workspace_id as "workspaceId", g.place::int as place
      from unnest($4::text[]) with ordinality g (address, place)
      join contacts t on t.workspace_id = $3 and ${emailKey('t.email_address')} = ${emailKey('g.address')}
      where ${CONTACTS.owned('$1', '$2')}`,
  );
  const values = [tenancy.teamId, tenancy.workspaceIds, workspaceId, emailAddresses];
  const found = await query<{ id: bigint; workspaceId: bigint; place: number }>(store, byAddresses, values);
  for (const row of found) await store.rowGuard.requireWorkspace(row.workspaceId, tenancy, byAddresses.name);
  const ids = new Map(found.map(({ place, id }) => [place, id]));
  return emailAddresses.map((_, index) => ids.get(index + 1) ?? null);
}

/** Creates a contact as a part of another change. @throws the database's error */
export const insertContact = insertionOf(CONTACTS, CONTACT_RULES);
