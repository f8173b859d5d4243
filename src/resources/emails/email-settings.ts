// The e-mail settings: from which addresses a workspace sends, and where answers go.
import { IDS, OF_WORKSPACE } from '../description/common-fields.ts';
import type { Field } from '../description/fields.ts';
import { describe, type Row } from '../description/resource.ts';
import { workspace } from '../workspaces.ts';
import { emailAddress } from './email-addresses.ts';

/** An address as the public API shows it in the settings. */
const SENDER = {
  emailAddress: { type: 'text', nullable: true, description: 'The e-mail address; null if none is set.' },
  name: { type: 'text', nullable: true, description: 'The name that readers see; null if none is set.' },
} as const;

const SHOWN = { graphql: false, type: 'jsonb', object: SENDER } as const;
const CHOSEN = {
  type: 'int8',
  nullable: true,
  refers: emailAddress,
  writable: 'always',
  gatewayOnly: true,
} as const satisfies Partial<Field>;

/** Both forms of a use of addresses: what the public API shows, and the id by which it is set. @param use such as `from which …` */
const use = <const Use extends string>(use: Use) =>
  ({
    shown: { ...SHOWN, description: `The address ${use}.` },
    chosen: {
      ...CHOSEN,
      description: `The integer id of the address ${use}.`,
      objectDescription: `The address ${use}; null if none is set.`,
    },
  }) as const;

const MARKETING_FROM = use('from which marketing e-mails are sent');
const MARKETING_REPLY = use('to which people answer marketing e-mails');
const SYSTEM_FROM = use('from which system e-mails are sent, such as receipts');
const SYSTEM_REPLY = use('to which people answer system e-mails');

export const emailSettings = describe({
  type: 'EmailSettings',
  title: 'E-mail settings',
  table: 'email_settings',
  number: 133n,
  parent: workspace,
  scope: 'emails',
  verbs: ['update'],
  most: 1,
  wrapper: 'emails_settings',
  topic: 'emails/settings',
  subjectType: 'Emails::Settings',
  description:
    'From which addresses a workspace sends e-mails, and where answers go. Each workspace has them from the start.',
  fields: {
    id: { ...IDS.id, gatewayOnly: true },
    publicId: { ...IDS.publicId, gatewayOnly: true },
    ...OF_WORKSPACE,
    marketingEmailsFromAddress: MARKETING_FROM.shown,
    marketingEmailsReplyToAddress: MARKETING_REPLY.shown,
    systemEmailsFromAddress: SYSTEM_FROM.shown,
    systemEmailsReplyToAddress: SYSTEM_REPLY.shown,
    marketingFromAddressId: {
      ...MARKETING_FROM.chosen,
      restName: 'marketing_emails_from_address_id',
      graphqlName: 'marketingEmailsFromAddressId',
    },
    marketingReplyToAddressId: {
      ...MARKETING_REPLY.chosen,
      restName: 'marketing_emails_reply_to_address_id',
      graphqlName: 'marketingEmailsReplyToAddressId',
    },
    systemFromAddressId: {
      ...SYSTEM_FROM.chosen,
      restName: 'system_emails_from_address_id',
      graphqlName: 'systemEmailsFromAddressId',
    },
    systemReplyToAddressId: {
      ...SYSTEM_REPLY.chosen,
      restName: 'system_emails_reply_to_address_id',
      graphqlName: 'systemEmailsReplyToAddressId',
    },
    createdAt: {
      type: 'timestamp',
      gatewayOnly: true,
      description: 'When the settings were created.',
    },
    updatedAt: {
      type: 'timestamp',
      gatewayOnly: true,
      description: 'When the settings were last changed.',
    },
  },
  sorts: ['updatedAt'],
});

export interface EmailSettingsRow extends Row<typeof emailSettings> {}
