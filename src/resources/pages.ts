// What a page is. REST shows pages only within a funnel's workflow.
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';

export const page = describe({
  type: 'Page',
  title: 'Page',
  table: 'pages',
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
