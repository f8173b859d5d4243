// The address from which a workspace sends e-mails, or at which it reads answers.
import { contact } from '../contacts.ts';
import { IDS, NAME, OF_WORKSPACE } from '../description/common-fields.ts';
import { describe } from '../description/resource.ts';
import { workspace } from '../workspaces.ts';

const { nullable: _, ...EMAIL_ADDRESS } = contact.fields.emailAddress;

export const emailAddress = describe({
  type: 'EmailAddress',
  title: 'E-mail address',
  table: 'email_addresses',
  number: 132n,
  parent: workspace,
  plural: 'emailAddresses',
  path: 'emails/addresses',
  wrapper: 'emails_address',
  scope: 'emails',
  topic: 'emails/address',
  subjectType: 'Emails::Address',
  verbs: ['create', 'update', 'remove'],
  gatewayOnly: ['get', 'create', 'update', 'remove'],
  description:
    'An e-mail address of the workspace with the name of its sender. An address that the e-mail settings use cannot be deleted.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    emailAddress: {
      ...EMAIL_ADDRESS,
      required: true,
      description: 'The e-mail address, unique in the workspace, ignoring case.',
    },
    name: { ...NAME, description: 'The name that readers see as the sender.' },
    isWorkspaceDefault: {
      graphqlName: 'isDefault',
      type: 'bool',
      writable: 'always',
      default: false,
      description: 'Whether it is the default address of the workspace.',
      rule: 'True takes the place of the previous default.',
    },
    createdAt: { type: 'timestamp', description: 'When the address was created.' },
    updatedAt: { type: 'timestamp', description: 'When the address was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});
