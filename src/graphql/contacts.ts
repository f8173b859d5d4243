// What is special of contacts: their custom attributes and tags, creating or changing one by its address, and erasing one.
import { contact, upsertFields } from '../resources/contacts.ts';
import { workspace } from '../resources/workspaces.ts';
import * as contacts from '../services/contacts.ts';
import { builder } from './builder.ts';
import { defineMutation, edgeField, rowField } from './mutations.ts';
import { connectionOf, nodeOf } from './nouns.ts';
import { AppliedTag, tagsOn } from './tags.ts';

const CustomAttribute = builder.objectRef<{ name: string; value: string }>('CustomAttribute').implement({
  description: 'A fact about a contact that the workspace itself has named.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name, unique on its contact.' }),
    value: t.exposeString('value', { description: 'The value as text.' }),
  }),
});

const { customAttributes, tags } = contact.fields;

const Contact = nodeOf(contact);

builder.objectFields(Contact.ref, (t) => ({
  customAttributes: t.field({
    type: [CustomAttribute],
    description: `${customAttributes.description} Not paginated: a contact has few.`,
    columns: ['customAttributes'],
    resolve: (row) => Object.entries(row.customAttributes).map(([name, value]) => ({ name, value })),
  }),
  tags: t.field({
    type: [AppliedTag],
    description: tags.description,
    columns: ['id', 'tags'],
    resolve: (row) => tagsOn(contact.type, row),
  }),
}));

defineMutation('upsertContact', {
  description:
    'Creates a contact, or changes the one that has the e-mail address. What is null or an empty list is left as it is.',
  scope: contacts.writeScope,
  of: [nodeOf(workspace)],
  fields: upsertFields,
  moment: 'creation',
  change: (ctx, [workspaceId = 0n], input, options) => contacts.upsert(ctx, workspaceId, input, options),
  payload: (t) => ({
    contact: rowField(t, Contact),
    contactEdge: edgeField(t, connectionOf(contact)),
    isNew: t.boolean({
      description: 'Whether the contact was created, and not changed.',
      resolve: ({ result }) => result.outcome === 'created',
    }),
  }),
});

defineMutation('eraseContact', {
  description:
    'Erases what is known of a person, wherever it went. A contact that was deleted can still be erased. That it happened, when and by whom, stays.',
  scope: contacts.writeScope,
  of: [Contact],
  change: (ctx, [id = 0n], _input, options) => contacts.erase(ctx, id, options),
  payload: (t) => ({ contact: rowField(t, Contact) }),
});
