// The store: how a workspace presents its products.
import { IDS, NAME, OF_WORKSPACE } from './description/common-fields.ts';
import { describe, type Row } from './description/resource.ts';
import { image } from './images.ts';
import { workspace } from './workspaces.ts';

export const store = describe({
  type: 'Store',
  title: 'Store',
  table: 'stores',
  number: 24n,
  parent: workspace,
  plural: 'stores',
  path: 'stores',
  scope: 'store',
  verbs: ['create', 'update', 'remove'],
  wrapper: 'store',
  description: 'An online store of a workspace: its name, its path, and its texts for search engines.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: NAME,
    currentPath: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'The path of the store on its domain.',
    },
    status: {
      type: 'text',
      values: ['draft', 'published'],
      valueDescriptions: {
        draft: 'Visitors cannot see the store.',
        published: 'Visitors can see the store.',
      },
      writable: 'always',
      default: 'draft',
      description: 'Whether visitors can see the store.',
    },
    seoTitle: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 255,
      description: 'The title for search engines.',
    },
    seoDescription: {
      type: 'text',
      nullable: true,
      writable: 'always',
      maxLength: 1_000,
      description: 'The description for search engines.',
    },
    seoIndexable: {
      graphqlName: 'isSeoIndexable',
      type: 'bool',
      nullable: true,
      writable: 'always',
      description: 'Whether search engines may list the store; null leaves the decision to them.',
    },
    socialImageId: {
      type: 'int8',
      restAsText: true,
      nullable: true,
      refers: image,
      writable: 'always',
      description: 'The integer id of the image for shared links to the store.',
    },
    createdAt: { type: 'timestamp', description: 'When the store was created.' },
    updatedAt: { type: 'timestamp', description: 'When the store was last changed.' },
  },
  topic: 'store',
  sorts: ['createdAt', 'updatedAt', 'name'],
  scannedSorts: ['createdAt', 'name'],
});

export interface StoreRow extends Row<typeof store> {}
