// The label of funnels, which the API calls a tag. The table `funnel_tags` is a different one, of earlier versions.
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import type { Fields } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { tag } from './tags.ts';
import { workspace } from './workspaces.ts';

export const funnelTag = describe({
  type: 'FunnelTag',
  title: 'Funnel tag',
  table: 'funnel_labels',
  number: 42n,
  parent: workspace,
  plural: 'funnelTags',
  path: 'funnels/tags',
  scope: 'funnels',
  verbs: ['create', 'update', 'remove'],
  wrapper: 'funnels_tag',
  description: 'A label for the funnels of a workspace. Deleting a tag removes it from all funnels.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: tag.fields.name,
    color: tag.fields.color,
    createdAt: { type: 'timestamp', description: 'When the tag was created.' },
    updatedAt: { type: 'timestamp', description: 'When the tag was last changed.' },
  },
  topic: 'funnels/tag',
  subjectType: 'Funnels::Tag',
  filters: { id: { unique: true }, name: { unique: true, index: 'funnel_labels_workspace_id_name_key' } },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});

export interface FunnelTagRow extends Row<typeof funnelTag> {}

/** A tag as part of a funnel. */
export const tagOnFunnel = {
  id: IDS.id,
  publicId: IDS.publicId,
  name: { type: 'text', description: tag.fields.name.description },
  color: { type: 'text', description: tag.fields.color.description },
} as const satisfies Fields;
