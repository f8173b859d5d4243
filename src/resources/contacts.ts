// The contact (spec §2 "Contact").
import { IDS, OF_WORKSPACE, UNCHECKED_URL } from './description/common-fields.ts';
import type { Fields } from './description/fields.ts';
import { writableFields } from './description/inputs.ts';
import { describe, type Row } from './description/resource.ts';
import { MAX_TAGS, tag, tagOnObject } from './tags.ts';
import { CONTACT_VISITS } from './visits.ts';
import { workspace } from './workspaces.ts';

/** The most custom attributes in a request, and characters in one. The database limits all attributes of a contact together. */
export const MAX_ATTRIBUTES = 100;
export const MAX_ATTRIBUTE_CHARS = 2_000;

/** A text field with personal data. */
const TEXT = { type: 'text', nullable: true, writable: 'always', maxLength: 2_000 } as const;

export const contact = describe({
  type: 'Contact',
  title: 'Contact',
  table: 'contacts',
  number: 3n,
  parent: workspace,
  plural: 'contacts',
  listDescription: 'The contacts of the workspace, including anonymous ones.',
  parentDescription: 'The workspace to which the contact belongs.',
  path: 'contacts',
  scope: 'contacts',
  verbs: ['create', 'update', 'remove'],
  wrapper: 'contact',
  description: 'A person in a workspace. Anonymous contacts have no e-mail address and no phone number yet.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    uuid: { type: 'text', format: 'uuid', description: 'The UUID of the contact, which never changes.' },
    anonymous: {
      graphqlName: 'isAnonymous',
      type: 'bool',
      restAsNumber: true,
      description: 'Whether the person is not identified yet.',
    },
    emailAddress: {
      ...TEXT,
      format: 'email',
      // The column is indexed: PostgreSQL accepts about 2,700 bytes in an index entry.
      maxLength: 320,
      description:
        'The e-mail address as the client sent it, without surrounding white space. It is unique in the workspace, ignoring case.',
    },
    firstName: { ...TEXT, description: 'The first name.' },
    lastName: { ...TEXT, description: 'The last name.' },
    phoneNumber: { ...TEXT, description: 'The phone number as the client sent it.' },
    timeZone: {
      ...TEXT,
      description: 'The time zone of the person, such as `Madrid`. Any text is accepted.',
    },
    unsubscribedAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the person unsubscribed from e-mail. Null while the person is subscribed.',
    },
    lastNotificationEmailSentAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the last notification was sent by e-mail. Null if none was sent.',
    },
    emailSuppressionReason: {
      type: 'text',
      nullable: true,
      description:
        'Why e-mail to this address is suppressed, such as a bounce. Null if it is not suppressed.',
    },
    isActive: {
      type: 'bool',
      description:
        'Whether e-mail may be sent to the person: there is an address, it is not suppressed, and the person has not unsubscribed.',
    },
    fbUrl: {
      graphqlName: 'facebookUrl',
      ...TEXT,
      description: `The URL of the Facebook profile. ${UNCHECKED_URL}`,
    },
    twitterUrl: { ...TEXT, description: `The URL of the Twitter profile. ${UNCHECKED_URL}` },
    instagramUrl: { ...TEXT, description: `The URL of the Instagram profile. ${UNCHECKED_URL}` },
    linkedinUrl: { ...TEXT, description: `The URL of the LinkedIn profile. ${UNCHECKED_URL}` },
    websiteUrl: { ...TEXT, description: `The URL of the website. ${UNCHECKED_URL}` },
    createdAt: { type: 'timestamp', description: 'When the contact was created.' },
    updatedAt: { type: 'timestamp', description: 'When the contact was last changed.' },
    tags: {
      type: 'json',
      items: tagOnObject,
      description: 'The tags on the contact, the oldest tag first. Not paginated: a contact has few.',
    },
    customAttributes: {
      type: 'jsonb',
      members: 'text',
      writable: 'always',
      default: {},
      description: 'The custom attributes of the contact, by name.',
      rule: `A request can set at most ${MAX_ATTRIBUTES} attributes of ${MAX_ATTRIBUTE_CHARS} characters each. All attributes of a contact together have at most 65536 bytes as JSON.`,
    },
    visits: {
      type: 'json',
      object: CONTACT_VISITS,
      description: 'The first and the last visits of the contact to pages of the workspace.',
    },
  },
  inputs: {
    tagIds: {
      type: 'int8[]',
      nullable: true,
      idsOf: tag,
      maxLength: MAX_TAGS,
      description:
        'The integer ids of all tags of the contact. Tags that are not in the list are removed; null removes all tags.',
    },
  },
  topic: 'contact',
  events: ['created', 'updated', 'deleted', 'identified'],
  lists: [
    { under: tag, by: 'tagIds', plural: 'contacts', indexes: {}, description: 'The contacts with the tag.' },
  ],
  filters: {
    id: { unique: true },
    emailAddress: { unique: true, index: 'contacts_workspace_id_email_address_key' },
    phoneNumber: {
      description: 'The phone number as the client sent it, ignoring case.',
      index: 'contacts_phone_number_id_idx',
      untimed: true,
    },
    lastName: {
      description: 'The last name, ignoring case.',
      index: 'contacts_last_name_id_idx',
      untimed: true,
    },
    firstName: {
      description: 'The first name, ignoring case.',
      index: 'contacts_first_name_id_idx',
      untimed: true,
    },
    tagIds: {
      description: 'The ids of the tags on the contact.',
      index: 'contact_tags_workspace_id_tag_id_contact_id_idx',
    },
    isUnsubscribed: {
      of: { type: 'bool' },
      description: 'Whether the contact has unsubscribed.',
      index: 'contacts_unsubscribed_id_idx',
      graphqlOnly: true,
    },
    isSuppressed: {
      of: { type: 'bool' },
      description: 'Whether the e-mail address is suppressed, for example because mail to it bounced.',
      index: 'contacts_suppressed_id_idx',
      graphqlOnly: true,
    },
    lastVisitAt: {
      isRange: true,
      description: 'When the last visit of the contact to a page began.',
      index: 'contact_visits_workspace_id_last_at_contact_id_idx',
      graphqlOnly: true,
    },
    isActive: { index: 'contacts_workspace_id_is_active_id_idx' },
    anonymous: { index: 'contacts_workspace_id_anonymous_id_idx' },
  },
  search: ['firstName', 'lastName', 'emailAddress', 'phoneNumber'],
  refinedBy: 'ContactsFilter',
  sorts: ['createdAt', 'updatedAt', 'emailAddress'],
});

const { nullable: _, ...address } = contact.fields.emailAddress;

/** The input of an upsert, in which the e-mail address identifies the contact. */
export const upsertFields = {
  ...writableFields(contact, 'creation'),
  emailAddress: {
    ...address,
    required: true,
    description: `${address.description} An existing contact keeps its own spelling.`,
  },
  tagIds: {
    ...contact.inputs.tagIds,
    description:
      'The integer ids of all tags of the contact. Tags that are not in the list are removed. Null or an empty list leaves the tags unchanged.',
  },
} satisfies Fields;

export interface ContactRow extends Row<typeof contact> {}
