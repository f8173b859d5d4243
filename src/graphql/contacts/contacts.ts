// Adds to contacts their custom attributes, and the mutations that upsert and erase one.
import { contact, upsertFields } from '../../resources/contacts.ts';
import { workspace } from '../../resources/workspaces.ts';
import * as contacts from '../../services/contacts/contacts.ts';
import { builder } from '../builder.ts';
import { assumedValues } from '../field-options.ts';
import { defineChange, defineMutation, edgeField, rowField } from '../mutations.ts';
import { connectionOf, nodeOf } from '../nouns.ts';

const CustomAttribute = builder.objectRef<{ name: string; value: string }>('CustomAttribute').implement({
  description: 'A custom attribute of a contact: a name that the workspace chooses, and a value.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the attribute, unique in its contact.' }),
    value: t.exposeString('value', { description: 'The value as text.' }),
  }),
});

const Contact = nodeOf(contact);

builder.objectField(Contact.ref, 'customAttributes', (t) =>
  t.field({
    type: [CustomAttribute],
    description: `${contact.fields.customAttributes.description} Not paginated: a contact has few.`,
    columns: ['customAttributes'],
    rows: assumedValues(),
    resolve: (row) => Object.entries(row.customAttributes).map(([name, value]) => ({ name, value })),
  }),
);

builder.objectField(Contact.ref, 'lastVisitAt', (t) =>
  t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When the last visit of the contact to a page of the workspace began. Null without a visit.',
    columns: ['visits'],
    resolve: ({ visits: { lastVisit } }) => (lastVisit === null ? null : new Date(lastVisit.startedAt)),
  }),
);

defineMutation('upsertContact', {
  description:
    'Creates a contact, or changes the existing contact with the e-mail address. Fields that are null or an empty list stay unchanged.',
  scope: contacts.writeScope,
  of: [nodeOf(workspace)],
  fields: upsertFields,
  moment: 'creation',
  change: (ctx, [workspaceId = 0n], input, options) => contacts.upsert(ctx, workspaceId, input, options),
  payload: (t) => ({
    contact: rowField(t, Contact),
    contactEdge: edgeField(t, connectionOf(contact)),
    isNew: t.boolean({
      description: 'True if the contact was created; false if an existing one was changed.',
      resolve: ({ result }) => result.outcome === 'created',
    }),
  }),
});

defineChange('eraseContact', Contact, {
  description:
    'Erases the personal data of a contact, including all copies that the service keeps. A deleted contact can still be erased. A record of the time and the author of the erasure remains.',
  scope: contacts.writeScope,
  change: (ctx, id, _input, options) => contacts.erase(ctx, id, options),
});
