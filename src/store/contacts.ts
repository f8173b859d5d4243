// What is special of changing contacts, as SQL.
import type { ChangeRules } from './changes/rules.ts';
import { APPLIED_TAGS } from './tables.ts';
import { tagsOf } from './tags.ts';

/** Whether a contact has what it is known by. */
const IS_KNOWN = '(n.email_address is not null or n.phone_number is not null)';

export const CONTACT_RULES: ChangeRules = {
  derived: { anonymous: { onCreate: `not ${IS_KNOWN}`, onUpdate: `o.anonymous and not ${IS_KNOWN}` } },
  // Its first e-mail address or phone number.
  events: { identified: { onCreate: 'not n.anonymous', onUpdate: 'o.anonymous and not n.anonymous' } },
  tags: {
    applied: APPLIED_TAGS,
    column: 'contact_id',
    shown: (applied) => tagsOf(applied, 'contact_id'),
  },
  constraints: { contact_tags_workspace_id_tag_id_fkey: 'tagIds' },
};
