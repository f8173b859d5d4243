// An applied tag: the assignment of a tag to a contact.
import { contact } from './contacts.ts';
import { IDS } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { MAX_TAGS, tag } from './tags.ts';

const { emailAddress, firstName, lastName, phoneNumber } = contact.fields;

export const appliedTag = describe({
  type: 'ContactAppliedTag',
  graphql: false,
  title: 'Applied tag',
  table: 'contact_tags',
  number: 13n,
  parent: contact,
  path: 'applied_tags',
  members: 'contacts/applied_tags',
  scope: 'contacts',
  verbs: ['create', 'remove'],
  numerous: true,
  most: MAX_TAGS,
  wrapper: 'contacts_applied_tag',
  description: 'A tag on a contact.',
  fields: {
    ...IDS,
    contactId: { type: 'int8', description: 'The integer id of the contact.' },
    tagId: {
      type: 'int8',
      refers: tag,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the tag, in the contact’s workspace.',
    },
    createdAt: { type: 'timestamp', description: 'When the tag was applied.' },
    updatedAt: { type: 'timestamp', description: 'When the tag was applied: an applied tag never changes.' },
    tag: {
      type: 'json',
      object: { publicId: IDS.publicId, name: tag.fields.name, color: tag.fields.color },
      description: 'The name and colour of the tag.',
    },
    contact: {
      type: 'json',
      object: { ...IDS, emailAddress, firstName, lastName, phoneNumber },
      description: 'A summary of the contact.',
    },
  },
  topic: 'contacts/applied_tag',
  events: ['created', 'deleted'],
  subjectType: 'Contacts::AppliedTag',
  filters: { id: { unique: true }, tagId: { unique: true, index: 'contact_tags_pkey' } },
  unchanging: true,
});

export interface AppliedTagRow extends Row<typeof appliedTag> {}
