// The site: settings that all pages of a workspace share.
import { IDS, NAME, OF_WORKSPACE } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { CODE_FIELDS, CODE_MODES } from './page-code.ts';
import { workspace } from './workspaces.ts';

export const site = describe({
  type: 'Site',
  title: 'Site',
  table: 'sites',
  number: 46n,
  parent: workspace,
  path: 'sites',
  scope: 'funnels',
  verbs: ['update'],
  most: 1,
  wrapper: 'site',
  description:
    'The settings that all pages of a workspace share. Each workspace has one site from the start.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    ...CODE_FIELDS,
    createdAt: { type: 'timestamp', description: 'When the site was created.' },
    updatedAt: { type: 'timestamp', description: 'When the site was last changed.' },
  },
  inputs: CODE_MODES,
  topic: 'site',
  sorts: ['createdAt', 'updatedAt', 'name'],
});

export interface SiteRow extends Row<typeof site> {}
