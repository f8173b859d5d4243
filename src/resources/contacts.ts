// What a contact is (spec §2 "Contact").
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { appliedTag } from './tags.ts';

export const contact = describe({
  type: 'Contact',
  title: 'Contact',
  table: 'contacts',
  description: 'A person whom a workspace knows. Anonymous contacts have no e-mail address yet.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    uuid: { type: 'text', format: 'uuid', description: 'A UUID that never changes.' },
    anonymous: {
      type: 'bool',
      restAsNumber: true,
      description: 'Whether it is not known yet who this is.',
    },
    emailAddress: {
      type: 'text',
      nullable: true,
      description:
        'The e-mail address as it was written, unique in the workspace whatever its case and the white space around it.',
    },
    firstName: { type: 'text', nullable: true, description: 'The first name.' },
    lastName: { type: 'text', nullable: true, description: 'The last name.' },
    phoneNumber: { type: 'text', nullable: true, description: 'The phone number as it was given.' },
    timeZone: { type: 'text', nullable: true, description: 'The time zone that the person lives in.' },
    unsubscribedAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the person unsubscribed from e-mail, or null while subscribed.',
    },
    lastNotificationEmailSentAt: {
      type: 'timestamp',
      nullable: true,
      description: 'When the last notification was sent by e-mail, or null when none was.',
    },
    emailSuppressionReason: {
      type: 'text',
      nullable: true,
      description: 'Why e-mail to this address is suppressed, such as a bounce, or null when it is not.',
    },
    isActive: {
      type: 'bool',
      description: 'Whether e-mail may be sent: there is an address, not unsubscribed and not suppressed.',
    },
    fbUrl: { type: 'text', nullable: true, description: 'The address of the Facebook profile.' },
    twitterUrl: { type: 'text', nullable: true, description: 'The address of the Twitter profile.' },
    instagramUrl: { type: 'text', nullable: true, description: 'The address of the Instagram profile.' },
    linkedinUrl: { type: 'text', nullable: true, description: 'The address of the LinkedIn profile.' },
    websiteUrl: { type: 'text', nullable: true, description: 'The address of a website.' },
    createdAt: { type: 'timestamp', description: 'When the contact was created.' },
    updatedAt: { type: 'timestamp', description: 'When the contact was last changed.' },
    tags: {
      type: 'json',
      items: appliedTag,
      description: 'The tags on the contact, the oldest tag first. Not paginated: a contact has few.',
    },
    customAttributes: {
      type: 'jsonb',
      members: 'text',
      description: 'What the workspace itself has recorded, by name. Not paginated: a contact has few.',
    },
  },
  filters: {
    id: { unique: true },
    emailAddress: { unique: true },
    tagIds: { idsOf: { type: 'Tag', table: 'tags' }, description: 'The ids of the tags on the contact.' },
    isActive: {},
  },
  sorts: ['updatedAt'],
});

export interface ContactRow extends Row<typeof contact> {}
