// The page. REST shows pages only within a funnel's workflow.
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { workspace } from './workspaces.ts';

export const page = describe({
  type: 'Page',
  title: 'Page',
  table: 'pages',
  number: 8n,
  parent: workspace,
  plural: 'pages',
  listDescription: 'The pages of the workspace, without discarded ones.',
  parentDescription: 'The workspace that the page belongs to.',
  scope: 'funnels',
  description:
    'A page that visitors see. A page that was discarded with a split’s branch can no longer be read.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: { type: 'text', description: 'The name of the page.' },
    currentPath: { type: 'text', description: 'The path of the page below its funnel.' },
    createdAt: { type: 'timestamp', description: 'When the page was created.' },
    updatedAt: { type: 'timestamp', description: 'When the page was last changed.' },
  },
});

export interface PageRow extends Row<typeof page> {}
