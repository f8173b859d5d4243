// Adds to applied tags the tag itself, and the mutations that apply and remove one.
import { appliedTag } from '../../resources/applied-tags.ts';
import { contact } from '../../resources/contacts.ts';
import { writableFields } from '../../resources/resource.ts';
import { tag } from '../../resources/tags.ts';
import * as appliedTags from '../../services/contacts/applied-tags.ts';
import { encodeGlobalId } from '../global-ids.ts';
import { defineMutation, edgeField, rowField } from '../mutations.ts';
import { connectionOf, nodeOf } from '../nouns.ts';

const ContactAppliedTag = nodeOf(appliedTag);
const Contact = nodeOf(contact);
const Tag = nodeOf(tag);

defineMutation('applyTag', {
  description:
    'Applies a tag to a contact of the same workspace. If the contact already has the tag, nothing changes.',
  scope: appliedTags.writeScope,
  of: [Contact],
  fields: writableFields(appliedTag, 'creation'),
  moment: 'creation',
  change: (ctx, [contactId = 0n], input, options) => appliedTags.create(ctx, contactId, input, options),
  payload: (t) => ({
    appliedTag: rowField(t, ContactAppliedTag),
    appliedTagEdge: edgeField(t, connectionOf(appliedTag)),
    isNew: t.boolean({
      description: 'True if the tag was applied now; false if the contact already had it.',
      resolve: ({ result }) => result.outcome === 'created',
    }),
  }),
});

defineMutation('removeTag', {
  description: 'Removes a tag from a contact. If the contact does not have the tag, the error is NOT_FOUND.',
  scope: appliedTags.writeScope,
  of: [Contact, { name: Tag.name, idField: 'tagId' }],
  change: (ctx, [contactId = 0n, tagId = 0n], _input, options) =>
    appliedTags.removeTag(ctx, contactId, tagId, options),
  payload: (t) => ({
    contact: t.field({
      type: Contact.ref,
      nullable: true,
      scope: Contact.scope,
      description: 'The contact after the change.',
      resolve: ({ ids: [contactId = 0n] }, _args, ctx) => Contact.load(ctx, contactId),
    }),
    removedAppliedTagId: t.id({
      nullable: true,
      description:
        'The global id of the removed ContactAppliedTag. Null for a retry after that object was erased.',
      resolve: ({ result: { row } }) => row && encodeGlobalId(ContactAppliedTag.name, row.id),
    }),
    removedTagId: t.id({
      description: 'The global id of the tag.',
      resolve: ({ ids: [, tagId = 0n] }) => encodeGlobalId(Tag.name, tagId),
    }),
  }),
});
