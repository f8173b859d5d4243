// The computed columns of a contact, and how filters compare contacts.
import type { contact } from '../../resources/contacts.ts';
import { emailKey } from '../sql/email-key.ts';
import { tagsOf } from '../sql/tags.ts';
import type { Special } from './table.ts';

export const contactTable: Special<typeof contact> = {
  computed: {
    isActive:
      '(t.email_address is not null and t.unsubscribed_at is null and t.email_suppression_reason is null)',
    tags: tagsOf('contact_tags', 'contact_id'),
  },
  matches: {
    emailAddress: { key: emailKey('t.email_address'), keyOf: emailKey },
    tagIds: { table: 'contact_tags', row: 'contact_id', value: 'tag_id' },
  },
};
