// The SQL that is specific to contacts: their changes, and finding one by its e-mail address.

import { memoize } from '../../concurrency/memoize.ts';
import { contact } from '../../resources/contacts.ts';
import type { Executor } from '../connections/executor.ts';
import { emailKey } from '../sql/email-key.ts';
import { statement, valuesOf } from '../sql/statements.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import { query, type StoreContext } from '../store.ts';
import { appliedTagTable } from '../tables/applied-tags.ts';
import { contactTable } from '../tables/contacts.ts';
import { tableOf } from '../tables/tables.ts';
import type { ColumnValues } from './children.ts';
import { type ChangeRecord, timeOf } from './records.ts';
import type { ChangeRules } from './rules.ts';
import { changeStatements, LOCKED_ROW_RULES } from './statements.ts';

const APPLIED_TAGS = tableOf(appliedTagTable);
const CONTACTS = tableOf(contactTable);

/** Whether a contact is identified by an e-mail address or phone number. Forms send an empty phone number if the field was left blank. */
const IS_KNOWN = `(n.email_address is not null or coalesce(n.phone_number, '') ~ '\\S')`;

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

const NEW = memoize(async () => changeStatements(CONTACTS, CONTACT_RULES, LOCKED_ROW_RULES));

/** Creates a contact as a part of another change. @throws the database's error */
export async function insertContact(
  tx: Executor,
  workspaceId: bigint,
  { columns, json }: ColumnValues,
): Promise<ChangeRecord> {
  const { insert, shown } = await NEW();
  const given = insert.parameters.map((name) => [name, columns[name.replace(/^new_/, '')] ?? null]);
  const place = { workspace_id: workspaceId, given: json, now: await timeOf(tx, CONTACTS) };
  const ask = async <Row>({ text }: { text: string }, values: unknown[]) => {
    const [row] = await tx.$queryRawUnsafe<Row[]>(text, ...values);
    if (row === undefined) throw new TypeError('No contact was created');
    return row;
  };
  const { id } = await ask<{ id: bigint }>(
    insert,
    valuesOf(insert, { ...Object.fromEntries(given), ...place }),
  );
  const { after, has_identified } = await ask<{ after: string; has_identified: boolean }>(
    shown,
    valuesOf(shown, { ...place, id }),
  );
  return {
    ...{ workspaceId, resource: contact, action: 'created', outcome: 'created', subjectId: id },
    ...{ contactId: id, before: null, after },
    events: ['created', ...(has_identified ? ['identified'] : [])].map((name) => ({
      resource: contact,
      name,
      subjectId: id,
      data: after,
    })),
  };
}
