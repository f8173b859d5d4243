// Tags that stand on contacts, as objects of their own, and the mutations that apply and remove them.
import { appliedTag } from '../resources/applied-tags.ts';
import { writableFields } from '../resources/resource.ts';
import * as appliedTags from '../services/applied-tags.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { Contact } from './contacts.ts';
import { defineMutation, edgeField, rowField } from './mutations.ts';
import { defineNode, encodeGlobalId } from './nodes.ts';
import { Tag } from './tags.ts';

/** @public Other nouns may hang below it. */
export const ContactAppliedTag = defineNode(appliedTag, {
  ...appliedTags,
  fields: (t) => ({
    contact: Contact.field(t, 'contactId', 'The contact that the tag stands on.'),
  }),
});

const ContactAppliedTagConnection = defineConnection(ContactAppliedTag, appliedTag, appliedTags);

builder.objectField(Contact.ref, 'appliedTags', (t) =>
  ContactAppliedTagConnection.field(
    t,
    'The tags that stand on the contact, in the order in which they were applied.',
  ),
);

defineMutation('applyTag', {
  description:
    'Applies a tag to a contact of its workspace. One that stands on it already stays as it is: nothing is changed.',
  scope: appliedTags.writeScope,
  of: [Contact],
  fields: writableFields(appliedTag, 'creation'),
  moment: 'creation',
  change: (ctx, [contactId = 0n], input, options) => appliedTags.create(ctx, contactId, input, options),
  payload: (t) => ({
    appliedTag: rowField(t, ContactAppliedTag),
    appliedTagEdge: edgeField(t, ContactAppliedTagConnection),
    isNew: t.boolean({
      description: 'Whether the tag was applied, and did not stand on the contact already.',
      resolve: ({ result }) => result.outcome === 'created',
    }),
  }),
});

defineMutation('removeTag', {
  description: 'Removes a tag from a contact. A tag that does not stand on it is NOT_FOUND.',
  scope: appliedTags.writeScope,
  of: [Contact, Tag],
  change: (ctx, [contactId = 0n, tagId = 0n], _input, options) =>
    appliedTags.removeTag(ctx, contactId, tagId, options),
  payload: (t) => ({
    contact: t.field({
      type: Contact.ref,
      nullable: true,
      scope: Contact.scope,
      description: 'The contact as it is now.',
      resolve: ({ ids: [contactId = 0n] }, _args, ctx) => Contact.load(ctx, contactId),
    }),
    removedAppliedTagId: t.id({
      nullable: true,
      description:
        'The global id that the ContactAppliedTag had; null for a retry after what the first request removed was erased.',
      resolve: ({ result: { row } }) => row && encodeGlobalId(ContactAppliedTag.name, row.id),
    }),
    removedTagId: t.id({
      description: 'The global id of the tag.',
      resolve: ({ ids: [, tagId = 0n] }) => encodeGlobalId(Tag.name, tagId),
    }),
  }),
});
