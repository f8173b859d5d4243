// The broadcast: an e-mail to many contacts. The gateway keeps drafts of them, and sends nothing.
import { contact } from '../contacts.ts';
import { IDS, NAME, OF_WORKSPACE } from '../description/common-fields.ts';
import type { RowOf } from '../description/fields.ts';
import { describe, type Row } from '../description/resource.ts';
import { refineFilter } from '../refine-filters.ts';
import { workspace } from '../workspaces.ts';
import { EMAIL_TEXTS, emailTemplate } from './email-templates.ts';
import { emailTopic } from './email-topics.ts';

/** The most topics and recipients of one broadcast. */
const MAX_TOPICS = 50;
const MAX_RECIPIENTS = 250;

const { nullable: _, ...EMAIL } = contact.fields.emailAddress;
const { firstName, lastName } = contact.fields;

const TEXT = { type: 'text', nullable: true, writable: 'always', maxLength: 1_000 } as const;
const NEVER = { graphql: false, type: 'timestamp', nullable: true } as const;

/** A recipient in the input of a new broadcast. */
const NEW_RECIPIENT = {
  emailAddress: {
    ...EMAIL,
    restName: 'email',
    required: true,
    description: 'The e-mail address, which identifies the contact.',
  },
  firstName: { ...firstName, optional: true, description: 'The first name, of a contact that is new.' },
  lastName: { ...lastName, optional: true, description: 'The last name, of a contact that is new.' },
} as const;

const STATUSES = {
  draft: 'The broadcast is not sent. All broadcasts here are drafts.',
  scheduled: 'The broadcast waits for its time.',
  sending: 'The broadcast is being sent.',
  complete: 'The broadcast was sent to all its recipients.',
  paused: 'The sending was interrupted, and can go on.',
  canceled: 'The sending was ended early.',
  unhealthy: 'The sending was stopped, because too many e-mails were returned.',
} as const;

export const emailBroadcast = describe({
  type: 'EmailBroadcast',
  title: 'E-mail broadcast',
  table: 'email_broadcasts',
  number: 134n,
  parent: workspace,
  plural: 'emailBroadcasts',
  path: 'emails/broadcasts',
  wrapper: 'emails_broadcast',
  scope: 'emails',
  topic: 'emails/broadcast',
  subjectType: 'Emails::Broadcast',
  verbs: ['create', 'update', 'remove'],
  description:
    'The draft of an e-mail to the contacts of a saved filter, of topics, or to recipients of its own. This service sends nothing: it keeps drafts for a program that sends.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: { ...NAME, description: 'The name of the broadcast, which only the team sees.' },
    subject: { ...EMAIL_TEXTS.subject, rule: 'By default that of the template.' },
    preheadline: { ...TEXT, description: 'The line that readers see beside the subject.' },
    fromEmail: {
      graphqlName: 'fromEmailAddress',
      ...EMAIL,
      required: true,
      description: 'The e-mail address of the sender.',
    },
    fromName: {
      type: 'text',
      nullable: true,
      description:
        'The name of the sender: that of the address among the addresses of the workspace; null if it is none of them.',
    },
    replyToEmail: {
      graphqlName: 'replyToEmailAddress',
      ...EMAIL,
      nullable: true,
      description: 'The e-mail address to which people answer; null for that of the sender.',
    },
    htmlBody: { ...EMAIL_TEXTS.htmlBody, rule: 'By default that of the template.' },
    textBody: { ...EMAIL_TEXTS.textBody, rule: 'By default that of the template.' },
    externalId: { ...TEXT, maxLength: 255, description: 'The id of the broadcast in another program.' },
    status: {
      type: 'text',
      values: Object.keys(STATUSES) as (keyof typeof STATUSES)[],
      valueDescriptions: STATUSES,
      description: 'The status of the broadcast: always `draft`, because this service sends nothing.',
    },
    templateId: {
      type: 'int8',
      nullable: true,
      refers: emailTemplate,
      writable: 'always',
      gatewayOnly: true,
      description: 'The integer id of the template with which the broadcast began, or null.',
      rule: 'Subject and bodies that the request leaves out are copied from it.',
      objectDescription: 'The template with which the broadcast began.',
    },
    filterId: {
      graphqlName: 'savedFilterId',
      type: 'int8',
      nullable: true,
      refers: refineFilter,
      writable: 'always',
      description: 'The integer id of the saved filter that selects the contacts; null for all contacts.',
      objectDescription: 'The saved filter that selects the contacts; null for all contacts.',
    },
    topicIds: {
      type: 'int8[]',
      refers: emailTopic,
      writable: 'always',
      default: [],
      distinct: true,
      maxLength: MAX_TOPICS,
      description: 'The integer ids of the topics that the broadcast is about.',
    },
    sendAt: {
      type: 'timestamp',
      nullable: true,
      writable: 'always',
      description: 'When the broadcast should be sent. It is kept, but nothing is sent then.',
    },
    sendAtLocalTime: {
      ...TEXT,
      maxLength: 255,
      description:
        'When the broadcast should be sent, as a time in the time zone. It is kept as it was given.',
    },
    timeZone: {
      ...TEXT,
      maxLength: 255,
      description: 'The time zone of that time, such as `Europe/Madrid`.',
    },
    sendImmediately: {
      graphql: false,
      type: 'bool',
      writable: 'at_creation',
      default: false,
      description: 'Always false: true is refused, because this service sends no e-mails.',
    },
    sendingAt: { ...NEVER, description: 'When the sending began: always null, because nothing is sent.' },
    completeAt: { ...NEVER, description: 'When the sending ended: always null, because nothing is sent.' },
    originationChannelId: {
      graphql: false,
      type: 'int8',
      description: 'The id of the channel from which the broadcast came: the workspace.',
    },
    originationChannelType: {
      graphql: false,
      type: 'text',
      description: 'The type of the channel from which the broadcast came: `Workspace`.',
    },
    createdAt: { type: 'timestamp', description: 'When the broadcast was created.' },
    updatedAt: { type: 'timestamp', description: 'When the broadcast was last changed.' },
  },
  inputs: {
    recipients: {
      type: 'json',
      items: NEW_RECIPIENT,
      itemType: 'EmailBroadcastNewRecipient',
      writable: 'at_creation',
      maxLength: MAX_RECIPIENTS,
      description:
        'The recipients in place of the contacts of a saved filter. A contact is created for each address that no contact has.',
      rule: 'They need contacts:write.',
    },
  },
  filters: {
    id: { unique: true },
    status: { index: 'email_broadcasts_workspace_id_status_id_idx' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});

export const emailBroadcastRecipient = describe({
  type: 'EmailBroadcastRecipient',
  title: 'Recipient',
  table: 'email_broadcast_recipients',
  number: 135n,
  parent: emailBroadcast,
  parentKey: 'broadcastId',
  plural: 'recipients',
  path: 'recipients',
  members: 'emails/broadcasts/recipients',
  lists: [
    {
      under: contact,
      key: 'contactId',
      plural: 'emailBroadcastRecipients',
      description: 'Where the contact is a recipient of a broadcast.',
      indexes: {},
    },
  ],
  gatewayOnly: true,
  scope: 'emails',
  topic: 'emails/broadcasts/recipient',
  subjectType: 'Emails::Broadcasts::Recipient',
  isPartOfContact: true,
  description:
    'A contact to whom a broadcast goes, with the address and the name that the broadcast was created with.',
  fields: {
    ...IDS,
    broadcastId: { type: 'int8', description: 'The integer id of its broadcast.' },
    contactId: {
      type: 'int8',
      refers: contact,
      description: 'The integer id of the contact with the address.',
      objectDescription: 'The contact with the address.',
    },
    emailAddress: {
      type: 'text',
      restName: 'email',
      description: 'The e-mail address to which the broadcast goes.',
    },
    firstName: { type: 'text', nullable: true, description: 'The first name, as it was given.' },
    lastName: { type: 'text', nullable: true, description: 'The last name, as it was given.' },
    createdAt: { type: 'timestamp', description: 'When the recipient was added.' },
  },
  unchanging: true,
});

export interface EmailBroadcastRow extends Row<typeof emailBroadcast> {}
/** A recipient in the input of a new broadcast. */
export interface NewRecipientRow extends RowOf<typeof NEW_RECIPIENT> {}
