// The workspace (spec §2 "Workspace").
import { IDS, NAME } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { team } from './teams.ts';

export const workspace = describe({
  type: 'Workspace',
  title: 'Workspace',
  table: 'workspaces',
  number: 2n,
  parent: team,
  plural: 'workspaces',
  listDescription: 'The workspaces of the team; on the host of one workspace, only that one.',
  parentDescription: 'The team that owns the workspace.',
  path: 'workspaces',
  scope: 'account',
  openFields: ['id', 'publicId', 'name', 'subdomain'],
  verbs: ['update'],
  wrapper: 'workspace',
  topic: 'workspace',
  description:
    'A workspace of a team. Contacts, funnels, pages, saved filters and webhook endpoints belong to a workspace.',
  fields: {
    ...IDS,
    teamId: { type: 'int8', description: 'The integer id of the team that owns the workspace.' },
    name: { ...NAME, maxLength: 100, description: 'The name of the workspace.' },
    subdomain: {
      type: 'text',
      writable: 'always',
      required: true,
      maxLength: 63,
      description:
        'The subdomain of the service at which the workspace is served, unique among all workspaces. A change takes effect at once, and the old subdomain becomes available to others.',
    },
    createdAt: { type: 'timestamp', description: 'When the workspace was created.' },
    updatedAt: { type: 'timestamp', description: 'When the workspace was last changed.' },
  },
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});

export interface WorkspaceRow extends Row<typeof workspace> {}
