// Saved filters of a workspace: the "refine filters" registry.
import * as refineFilters from '../services/refine-filters.ts';
import { builder } from './builder.ts';
import { connectionArgs, defineConnection } from './connection.ts';
import { defineNode } from './nodes.ts';
import { Workspace } from './workspaces.ts';

const RefineFilterCriterion = builder
  .objectRef<refineFilters.RefineFilterRow['criteria'][number]>('RefineFilterCriterion')
  .implement({
    description: 'One condition of a saved filter.',
    fields: (t) => ({
      attribute: t.exposeString('attribute', { description: 'What is looked at, such as `email_address`.' }),
      clause: t.exposeString('clause', { description: 'How it is compared, such as `eq`, `sw` or `in`.' }),
      value: t.expose('value', {
        type: 'JSON',
        nullable: true,
        description: 'What it is compared with, or null for a clause that compares with nothing.',
      }),
    }),
  });

export const RefineFilter = defineNode<refineFilters.RefineFilterRow>('RefineFilter', {
  description: 'A saved filter: conditions that choose contacts or other objects of the workspace.',
  scope: refineFilters.scope,
  loadMany: refineFilters.getMany,
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the filter, unique in the workspace.' }),
    filterClass: t.exposeString('filterClass', {
      description: 'What the filter chooses, such as `ContactsFilter`. New classes may be added at any time.',
    }),
    conjunction: t.exposeString('conjunction', {
      description: 'Whether all conditions must hold (`and`) or one of them (`or`).',
    }),
    criteria: t.field({
      type: [RefineFilterCriterion],
      description: 'The conditions in order. Not paginated: a filter has few.',
      resolve: ({ criteria }) => criteria,
    }),
    workspaceId: t.expose('workspaceId', {
      type: 'BigInt',
      description: 'The `databaseId` of its workspace.',
    }),
    workspace: t.field({
      type: Workspace.ref,
      nullable: true,
      description: 'The workspace that the filter belongs to. Needs account:read.',
      extensions: { columns: ['workspaceId'] },
      resolve: ({ workspaceId }, _args, ctx) => Workspace.load(ctx, workspaceId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the filter was saved first.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When the filter was last changed.' }),
  }),
});

const RefineFilterConnection = defineConnection(RefineFilter, {
  kind: 'refine_filters',
  reads: refineFilters,
});

builder.objectField(Workspace.ref, 'refineFilters', (t) =>
  t.field({
    type: RefineFilterConnection.ref,
    nullable: true,
    description:
      'The saved filters of the workspace. Unlike the REST list, it is always paginated. Needs contacts:read.',
    args: connectionArgs,
    extensions: { columns: ['id'] },
    resolve: (workspace, args, ctx, info) => RefineFilterConnection.load(ctx, workspace.id, args, info),
  }),
);
