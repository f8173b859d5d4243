// Tags of a workspace, and how they are shown where they stand on contacts and funnels.
import { type TagOnObjectRow, tag, tagOnObject } from '../resources/tags.ts';
import * as tags from '../services/tags.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { defineChanges } from './mutations.ts';
import { defineNode, definePart, type PartId } from './nodes.ts';
import { resourceFields } from './resource-fields.ts';
import { Workspace } from './workspaces.ts';

/** A tag on an object, which is part of its id. */
type TagOn = TagOnObjectRow & { readonly on: PartId['of'] };

export const AppliedTag = definePart<TagOn>('AppliedTag', {
  description: 'A tag of a workspace as it stands on one contact or funnel.',
  idOf: ({ on, id }) => ({ of: on, id }),
  partsOf: (typeName, object) => ('tags' in object ? tagsOn(typeName, object as Tagged) : []),
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt', description: 'The integer id of the tag.' }),
    ...resourceFields(t, tagOnObject),
  }),
});

interface Tagged {
  readonly id: bigint;
  readonly tags: readonly TagOnObjectRow[];
}

/** The tags on an object of a type. */
export function tagsOn(typeName: string, { id, tags }: Tagged): TagOn[] {
  const on = { typeName, id };
  return tags.map((tag) => ({ ...tag, on }));
}

export const Tag = defineNode(tag, {
  ...tags,
  fields: (t) => ({ workspace: Workspace.field(t, 'workspaceId', 'The workspace whose tag it is.') }),
});

const TagConnection = defineConnection(Tag, tag, tags);

defineChanges(Tag, tag, tags, Workspace, TagConnection);

builder.objectField(Workspace.ref, 'tags', (t) => TagConnection.field(t, 'The tags of the workspace.'));
