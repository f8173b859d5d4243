// Tags of a workspace, and how they are shown where they stand on contacts and funnels.
import { type TagOnObjectRow, tag, tagOnObject } from '../resources/tags.ts';
import * as tags from '../services/tags.ts';
import { builder } from './builder.ts';
import { defineConnection } from './connection.ts';
import { defineChanges } from './mutations.ts';
import { defineNode } from './nodes.ts';
import { resourceFields } from './resource-fields.ts';
import { Workspace } from './workspaces.ts';

export const AppliedTag = builder.objectRef<TagOnObjectRow>('AppliedTag').implement({
  description: 'A tag of a workspace as it stands on one contact or funnel.',
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt', description: 'The integer id of the tag.' }),
    ...resourceFields(t, tagOnObject),
  }),
});

export const Tag = defineNode(tag, {
  ...tags,
  fields: (t) => ({ workspace: Workspace.field(t, 'workspaceId', 'The workspace whose tag it is.') }),
});

defineChanges(Tag, tag, tags, Workspace);

const TagConnection = defineConnection(Tag, tag, tags);

builder.objectField(Workspace.ref, 'tags', (t) => TagConnection.field(t, 'The tags of the workspace.'));
