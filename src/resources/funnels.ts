// The funnel (spec §2 "Funnel"). Its workflow is described in funnel-steps.ts.
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { tagOnObject } from './tags.ts';
import { workspace } from './workspaces.ts';

export const funnel = describe({
  type: 'Funnel',
  title: 'Funnel',
  table: 'funnels',
  number: 7n,
  parent: workspace,
  plural: 'funnels',
  listDescription: 'The funnels of the workspace, archived ones included.',
  parentDescription: 'The workspace that the funnel belongs to.',
  path: 'funnels',
  scope: 'funnels',
  description: 'A funnel: a workflow of steps that leads visitors from page to page.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: { type: 'text', description: 'The name of the funnel.' },
    archived: { type: 'bool', description: 'Whether the funnel is archived.' },
    currentPath: {
      type: 'text',
      description: 'The path of the funnel on its domain, unique in the workspace.',
    },
    liveMode: { type: 'bool', description: 'Whether orders in the funnel are real, not tests.' },
    customDomainId: {
      type: 'int8',
      nullable: true,
      restName: 'domain_id',
      description: 'The integer id of the custom domain that serves the funnel, or null when none does.',
    },
    faviconImageId: {
      type: 'text',
      nullable: true,
      description:
        'The id of the image that browsers show for the funnel. Images are not served yet: it is null.',
    },
    createdAt: { type: 'timestamp', description: 'When the funnel was created.' },
    updatedAt: { type: 'timestamp', description: 'When the funnel was last changed.' },
    tags: {
      type: 'json',
      items: tagOnObject,
      restOmits: ['appliedAt'],
      description: 'The tags on the funnel, the oldest tag first. Not paginated: a funnel has few.',
    },
  },
  filters: { id: { unique: true } },
  sorts: ['updatedAt'],
});

export interface FunnelRow extends Row<typeof funnel> {}
