// The saved filter (spec §2 "Refine filter").
import { describe, type Fields, IDS, OF_WORKSPACE, type Row, type RowOf } from './resource.ts';
import { workspace } from './workspaces.ts';

/** One condition of a saved filter. */
export const criterion = {
  attribute: { type: 'text', description: 'The attribute that is compared, such as `email_address`.' },
  clause: { type: 'text', description: 'How it is compared, such as `eq`, `sw` or `in`.' },
  value: {
    type: 'jsonb',
    optional: true,
    nullable: true,
    description: 'The value that it is compared with, or null for a clause without a value.',
  },
} as const satisfies Fields;

export interface Criterion extends RowOf<typeof criterion> {}

export const refineFilter = describe({
  type: 'RefineFilter',
  title: 'Saved filter',
  table: 'refine_filters',
  number: 5n,
  parent: workspace,
  plural: 'refineFilters',
  listDescription: 'The saved filters of the workspace. Unlike the REST list, it is always paginated.',
  parentDescription: 'The workspace that the filter belongs to.',
  path: 'refine_filters',
  scope: 'contacts',
  description: 'A saved filter: conditions that select contacts or other objects of the workspace.',
  fields: {
    ...IDS,
    ...OF_WORKSPACE,
    name: { type: 'text', description: 'The name of the filter, unique in the workspace.' },
    filterClass: {
      type: 'text',
      description: 'What the filter selects, such as `ContactsFilter`. New classes may be added at any time.',
    },
    conjunction: {
      type: 'text',
      values: ['and', 'or'],
      description: 'Whether all conditions must hold (`and`) or one of them (`or`).',
    },
    criteria: {
      type: 'jsonb',
      items: criterion,
      description: 'The conditions in order. Not paginated: a filter has few.',
    },
    createdAt: { type: 'timestamp', description: 'When the filter was first saved.' },
    updatedAt: { type: 'timestamp', description: 'When the filter was last changed.' },
  },
  filters: { name: { unique: true, index: 'refine_filters_workspace_id_name_key' } },
});

export interface RefineFilterRow extends Row<typeof refineFilter> {}
