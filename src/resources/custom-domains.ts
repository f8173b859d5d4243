// The customer's own host name for a workspace. Operators add and remove them.
import { IDS, OF_WORKSPACE } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
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
    'A custom host name of a workspace, which can serve funnels. The operator of the gateway adds and removes it.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    host: { type: 'text', restName: 'name', description: 'The host name, such as `shop.example.com`.' },
    status: {
      type: 'text',
      values: ['initialized', 'ownership_verified', 'connecting', 'securing', 'secured', 'removing'],
      valueDescriptions: {
        initialized: 'The domain was added, and its setup has not started.',
        ownership_verified: 'The ownership of the domain was verified.',
        connecting: 'The domain is being connected to the service.',
        securing: 'A TLS certificate is being set up.',
        secured: 'The domain is connected and secured by TLS.',
        removing: 'The domain is being removed.',
      },
      description: 'The progress of the domain’s setup. A domain that the operator has added is `secured`.',
    },
    connected: {
      type: 'bool',
      graphqlName: 'isConnected',
      description: 'Whether the domain serves the workspace.',
    },
    createdAt: { type: 'timestamp', description: 'When the domain was added.' },
    updatedAt: { type: 'timestamp', description: 'When the domain was last changed.' },
  },
  unchanging: true,
});

export interface DomainRow extends Row<typeof domain> {}
