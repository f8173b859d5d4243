// What an applied tag is: that a tag stands on a contact.
import { contact } from './contacts.ts';
import { describe, IDS, type Row } from './resource.ts';
import { tag } from './tags.ts';

const { emailAddress, firstName, lastName, phoneNumber } = contact.fields;

export const appliedTag = describe({
  type: 'ContactAppliedTag',
  title: 'Applied tag',
  table: 'contact_tags',
  number: 13n,
  parent: contact,
  plural: 'appliedTags',
  listDescription: 'The tags that stand on the contact, in the order in which they were applied.',
  parentDescription: 'The contact that the tag stands on.',
  path: 'applied_tags',
  members: 'contacts/applied_tags',
  scope: 'contacts',
  verbs: ['create', 'remove'],
  numerous: true,
  wrapper: 'contacts_applied_tag',
  description: 'That a tag stands on a contact.',
  fields: {
    ...IDS,
    contactId: { type: 'int8', description: 'The integer id of the contact.' },
    tagId: {
      type: 'int8',
      refers: tag,
      writable: 'at_creation',
      required: true,
      description: 'The integer id of the tag, which is of the contact’s workspace.',
    },
    createdAt: { type: 'timestamp', description: 'When the tag was applied.' },
    updatedAt: { type: 'timestamp', description: 'When the tag was applied: that is never changed.' },
    tag: {
      type: 'json',
      object: { publicId: IDS.publicId, name: tag.fields.name, color: tag.fields.color },
      description: 'What the tag is called, and its colour.',
    },
    contact: {
      type: 'json',
      object: { ...IDS, emailAddress, firstName, lastName, phoneNumber },
      description: 'Who the contact is, in short.',
    },
  },
  topic: 'contacts/applied_tag',
  events: ['created', 'deleted'],
  subjectType: 'Contacts::AppliedTag',
  filters: { id: { unique: true }, tagId: { unique: true, index: 'contact_tags_pkey' } },
  unchanging: true,
});

export interface AppliedTagRow extends Row<typeof appliedTag> {}
