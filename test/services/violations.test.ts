// A violated constraint of the store is an error of the field in its name.
import { expect, test } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { appliedTag } from '../../src/resources/applied-tags.ts';
import { contact } from '../../src/resources/contacts.ts';
import { restNameOf } from '../../src/resources/description/names.ts';
import { toInvalid } from '../../src/services/changing/violations.ts';
import type { Table } from '../../src/store/tables/table.ts';
import { tableOf } from '../../src/store/tables/tables.ts';

const APPLIED_TAGS = tableOf(appliedTag);
const CONTACTS = tableOf(contact);

/** In the form of the driver. */
const refusedBy = (code: string, constraint: string) =>
  Object.assign(new Error(constraint), { code, constraint });

function refusal(table: Table<{ id: bigint }>, code: string, constraint: string, besides = {}) {
  const error = toInvalid(refusedBy(code, constraint), table, restNameOf, {
    propertiesOfConstraints: besides,
  });
  return error instanceof AppError ? [error.code, error.errors.map(({ field }) => field).join()] : error;
}

test.each([
  ['23505', 'contacts_workspace_id_email_address_key', 'email_address'],
  ['23514', 'contacts_email_address_check', 'email_address'],
  ['23514', 'contacts_custom_attributes_check', 'custom_attributes'],
])('%s %s is 422 that blames the field', (code, constraint, field) => {
  expect(refusal(CONTACTS, code, constraint)).toEqual(['invalid', field]);
});

test('if two field names begin alike, the longer one is reported', () => {
  const { resource } = APPLIED_TAGS;
  const fields = { tag: resource.fields['tag'], ...resource.fields } as typeof resource.fields;
  const alike = { ...APPLIED_TAGS, resource: { ...resource, fields } };
  expect(refusal(alike, '23503', 'contact_tags_workspace_id_tag_id_fkey')).toEqual(['invalid', 'tag_id']);
  expect(refusal(alike, '23514', 'contact_tags_tag_check')).toEqual(['invalid', 'tag']);
});

test('a parent that was deleted meanwhile is not found', () => {
  expect(refusal(APPLIED_TAGS, '23503', 'contact_tags_workspace_id_contact_id_fkey')).toEqual([
    'not_found',
    '',
  ]);
  expect(refusal(CONTACTS, '23503', 'contacts_workspace_id_fkey')).toEqual(['not_found', '']);
});

test.each([
  ['23001', 'contact_tags_workspace_id_contact_id_fkey', 'The contact is used by an applied tag'],
  ['23503', 'contact_tags_workspace_id_contact_id_fkey', 'The contact is used by an applied tag'],
  ['23001', 'visits_workspace_id_contact_id_fkey', 'The contact is used by something else'],
])('%s %s of another table: what it names is not removed', (code, constraint, message) => {
  const error = toInvalid(refusedBy(code, constraint), CONTACTS, restNameOf, { isRemoval: true }) as AppError;
  expect([error.code, error.message]).toEqual(['conflict', `${message} and was not deleted.`]);
});

test('a constraint without a field’s name is 422 too', () => {
  expect(refusal(CONTACTS, '23514', 'contacts_elsewhere_check')).toEqual(['invalid', '']);
  expect(
    refusal(CONTACTS, '23514', 'contacts_elsewhere_check', { contacts_elsewhere_check: 'phoneNumber' }),
  ).toEqual(['invalid', 'phone_number']);
});

test('any other error stays unchanged', () => {
  const other = new Error('something else');
  expect(toInvalid(other, CONTACTS, restNameOf)).toBe(other);
});
