// The computed columns of a contact, and its comparisons in filters.
import { contact } from '../../resources/contacts.ts';
import { emailKey, emailKeyInOrder, emailKeyStart } from '../sql/email-key.ts';
import { tagsOf } from '../sql/tags.ts';
import { textKey } from '../sql/text-key.ts';
import { ownTable } from './table.ts';

/** JSON without spaces, in REST's form. */
const VISITS = `coalesce((select '{"first_visit":' || v.first_visit || ',"last_visit":' || v.last_visit || ',"last_visit_with_utm":'
    || coalesce(v.last_visit_with_utm::text, 'null') || '}'
  from contact_visits v where v.workspace_id = $row_workspace and v.contact_id = t.id),
  '{"first_visit":null,"last_visit":null,"last_visit_with_utm":null}')`;

export const contactTable = ownTable(contact, {
  computed: {
    isActive:
      '(t.email_address is not null and t.unsubscribed_at is null and t.email_suppression_reason is null)',
    tags: tagsOf('contact_tags', 'contact_id'),
    visits: VISITS,
  },
  matches: {
    emailAddress: {
      key: emailKey('t.email_address'),
      keyOf: emailKey,
      start: emailKeyStart('t.email_address'),
      ordered: emailKeyInOrder('t.email_address'),
    },
    phoneNumber: { key: textKey('t.phone_number'), keyOf: textKey },
    lastName: { key: textKey('t.last_name'), keyOf: textKey },
    firstName: { key: textKey('t.first_name'), keyOf: textKey },
    isUnsubscribed: { set: 't.unsubscribed_at' },
    isSuppressed: { set: 't.email_suppression_reason' },
    lastVisitAt: { table: 'contact_visits', row: 'contact_id', value: 'last_at' },
    visits: { table: 'contact_visits', row: 'contact_id', value: 'last_at' },
    tagIds: { table: 'contact_tags', row: 'contact_id', value: 'tag_id' },
  },
});
