// Contacts of a workspace.
import * as contacts from '../services/contacts.ts';
import { builder } from './builder.ts';
import { connectionArgs, defineConnection } from './connection.ts';
import { defineNode } from './nodes.ts';
import { AppliedTag } from './tags.ts';
import { Workspace } from './workspaces.ts';

const CustomAttribute = builder.objectRef<{ name: string; value: string }>('CustomAttribute').implement({
  description: 'A fact about a contact that the workspace itself has named.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name, unique on its contact.' }),
    value: t.exposeString('value', { description: 'The value as text.' }),
  }),
});

const Contact = defineNode<contacts.ContactRow>('Contact', {
  description: 'A person whom a workspace knows. Anonymous contacts have no e-mail address yet.',
  scope: contacts.scope,
  loadMany: contacts.getMany,
  fields: (t) => ({
    uuid: t.exposeString('uuid', { description: 'A UUID that never changes.' }),
    anonymous: t.exposeBoolean('anonymous', { description: 'Whether it is not known yet who this is.' }),
    isActive: t.exposeBoolean('isActive', {
      description: 'Whether e-mail may be sent: there is an address, not unsubscribed and not suppressed.',
    }),
    emailAddress: t.exposeString('emailAddress', {
      nullable: true,
      description: 'The e-mail address, unique in the workspace whatever its case.',
    }),
    firstName: t.exposeString('firstName', { nullable: true, description: 'The first name.' }),
    lastName: t.exposeString('lastName', { nullable: true, description: 'The last name.' }),
    phoneNumber: t.exposeString('phoneNumber', {
      nullable: true,
      description: 'The phone number as it was given.',
    }),
    timeZone: t.exposeString('timeZone', {
      nullable: true,
      description: 'The time zone that the person lives in.',
    }),
    unsubscribedAt: t.expose('unsubscribedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the person unsubscribed from e-mail, or null while subscribed.',
    }),
    lastNotificationEmailSentAt: t.expose('lastNotificationEmailSentAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last notification was sent by e-mail, or null when none was.',
    }),
    emailSuppressionReason: t.exposeString('emailSuppressionReason', {
      nullable: true,
      description: 'Why e-mail to this address is suppressed, such as a bounce, or null when it is not.',
    }),
    fbUrl: t.exposeString('fbUrl', { nullable: true, description: 'The address of the Facebook profile.' }),
    twitterUrl: t.exposeString('twitterUrl', {
      nullable: true,
      description: 'The address of the Twitter profile.',
    }),
    instagramUrl: t.exposeString('instagramUrl', {
      nullable: true,
      description: 'The address of the Instagram profile.',
    }),
    linkedinUrl: t.exposeString('linkedinUrl', {
      nullable: true,
      description: 'The address of the LinkedIn profile.',
    }),
    websiteUrl: t.exposeString('websiteUrl', { nullable: true, description: 'The address of a website.' }),
    customAttributes: t.field({
      type: [CustomAttribute],
      description: 'What the workspace itself has recorded, by name. Not paginated: a contact has few.',
      extensions: { columns: ['customAttributes'] },
      resolve: ({ customAttributes }) =>
        Object.entries(customAttributes).map(([name, value]) => ({ name, value })),
    }),
    tags: t.field({
      type: [AppliedTag],
      description: 'The tags on the contact, the oldest tag first. Not paginated: a contact has few.',
      extensions: { columns: ['tags'] },
      resolve: ({ tags }) => tags,
    }),
    workspaceId: t.expose('workspaceId', {
      type: 'BigInt',
      description: 'The `databaseId` of its workspace.',
    }),
    workspace: t.field({
      type: Workspace.ref,
      nullable: true,
      description: 'The workspace that knows this contact. Needs account:read.',
      extensions: { columns: ['workspaceId'] },
      resolve: ({ workspaceId }, _args, ctx) => Workspace.load(ctx, workspaceId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the contact was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the contact was last changed.' }),
  }),
});

const ContactConnection = defineConnection(Contact, { kind: 'contacts', reads: contacts });

builder.objectField(Workspace.ref, 'contacts', (t) =>
  t.field({
    type: ContactConnection.ref,
    nullable: true,
    description: 'The contacts of the workspace, anonymous ones included. Needs contacts:read.',
    args: connectionArgs,
    extensions: { columns: ['id'] },
    resolve: (workspace, args, ctx, info) => ContactConnection.load(ctx, workspace.id, args, info),
  }),
);
