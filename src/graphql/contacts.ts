// Contacts of a workspace.
import { contact } from '../resources/contacts.ts';
import * as contacts from '../services/contacts.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { defineChanges } from './mutations.ts';
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

const { customAttributes, tags } = contact.fields;

/** @public Other nouns may hang below it. */
export const Contact = defineNode(contact, {
  ...contacts,
  fields: (t) => ({
    customAttributes: t.field({
      type: [CustomAttribute],
      description: `${customAttributes.description} Not paginated: a contact has few.`,
      columns: ['customAttributes'],
      resolve: (row) => Object.entries(row.customAttributes).map(([name, value]) => ({ name, value })),
    }),
    tags: t.field({
      type: [AppliedTag],
      description: tags.description,
      columns: ['tags'],
      resolve: (row) => row.tags,
    }),
    workspace: Workspace.field(t, 'workspaceId', 'The workspace that knows this contact.'),
  }),
});

defineChanges(Contact, contact, contacts, Workspace);

const ContactConnection = defineConnection(Contact, contact, contacts);

builder.objectField(Workspace.ref, 'contacts', (t) =>
  ContactConnection.field(t, 'The contacts of the workspace, anonymous ones included.'),
);
