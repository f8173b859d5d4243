// The customer's own host name for a workspace. Operators add and remove them.
import { describe, IDS, OF_WORKSPACE, type Row } from './resource.ts';
import { workspace } from './workspaces.ts';

export const domain = describe({
  type: 'Domain',
  title: 'Domain',
  table: 'custom_domains',
  number: 43n,
  parent: workspace,
  plural: 'domains',
  path: 'domains',
  scope: 'funnels',
  description:
    'A host name of the workspace’s own, which may serve funnels. The gateway’s operator adds and removes it.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    host: { type: 'text', restName: 'name', description: 'The host name.' },
    status: {
      type: 'text',
      values: ['initialized', 'ownership_verified', 'connecting', 'securing', 'secured', 'removing'],
      description: 'How far the domain is set up. One that the operator has added is `secured`.',
    },
    connected: { type: 'bool', description: 'Whether the domain serves the workspace.' },
    createdAt: { type: 'timestamp', description: 'When the domain was added.' },
    updatedAt: { type: 'timestamp', description: 'When the domain was last changed.' },
  },
  unchanging: true,
});

export interface DomainRow extends Row<typeof domain> {}
