// A step of a funnel's workflow (spec §2 "Conditional split step"). src/rest/ makes its JSON, which includes branches and pages.
import { IDS } from './description/common-fields.ts';
import type { Fields, RowOf } from './description/fields.ts';
import { describe, type Row } from './description/resource.ts';
import { funnel } from './funnels.ts';
import { page } from './pages.ts';

const OF_FUNNEL = {
  // GraphQL has the funnel itself.
  funnelId: { type: 'int8', graphql: false, description: 'The integer id of its funnel.' },
} as const satisfies Fields;

const OWN = {
  publicId: IDS.publicId,
  name: { type: 'text', description: 'The name of the step.' },
  createdAt: { type: 'timestamp', description: 'When the step was created.' },
  updatedAt: { type: 'timestamp', description: 'When the step was last changed or moved.' },
} as const satisfies Fields;

/** The fields of every step. */
export const stepFields = { ...OF_FUNNEL, ...OWN };

/** The reference of a split to its saved filter. */
const FILTER = {
  filterId: {
    type: 'int8',
    nullable: true,
    internal: true,
    description: 'The integer id of the saved filter that decides the branch.',
  },
  filterPublicId: {
    type: 'text',
    nullable: true,
    internal: true,
    description: 'The public id of the saved filter that decides the branch.',
  },
} as const satisfies Fields;

/** The branches of each kind of split, in the order of answers. */
export const BRANCHES = {
  page: [],
  conditional_split: ['matched', 'unmatched'],
  split_test: ['left', 'right'],
} as const;

/** The left variant's share. The right one has the rest of 100. */
const WEIGHT = {
  leftWeight: {
    type: 'int4',
    nullable: true,
    internal: true,
    description: 'The percentage of visitors who see the left variant of a split test.',
  },
} as const satisfies Fields;

/** A step in its funnel's tree. Siblings have the same values in the fields between `id` and `kind`. */
export const funnelStep = describe({
  type: 'FunnelStep',
  title: 'Step',
  table: 'funnel_steps',
  description: 'A step of a funnel’s workflow: a page, or a split with two branches of steps.',
  fields: {
    id: IDS.id,
    ...OF_FUNNEL,
    parentId: {
      type: 'int8',
      nullable: true,
      internal: true,
      description: 'The split that contains the step.',
    },
    branch: {
      type: 'enum',
      values: [...BRANCHES.conditional_split, ...BRANCHES.split_test],
      nullable: true,
      internal: true,
      description: 'The branch of that split.',
    },
    kind: {
      type: 'enum',
      values: ['page', 'conditional_split', 'split_test'],
      internal: true,
      description: 'The kind of step.',
    },
    position: {
      type: 'int4',
      internal: true,
      description: 'The position of the step in its list, starting at 0.',
    },
    ...OWN,
    ...FILTER,
    ...WEIGHT,
  },
});

/** A conditional split as a row of a list. */
export const conditionalSplit = describe({
  type: 'ConditionalSplitStep',
  graphqlName: 'ConditionalSplit',
  title: 'Conditional split step',
  table: 'funnel_steps',
  hasLookUp: false,
  number: 9n,
  parent: funnel,
  parentDescription: 'The funnel whose workflow the step is part of.',
  plural: 'conditionalSplits',
  listDescription:
    'All conditional splits of the workflow, including those on branches, ordered by id rather than by position.',
  scope: 'funnels',
  description:
    'A step that sends each visitor to one of two branches. Both branches then continue with the next step.',
  fields: {
    id: IDS.id,
    ...stepFields,
    ...FILTER,
    funnelPublicId: { type: 'text', internal: true, description: 'The public id of its funnel.' },
  },
  topic: 'conditional_split_step',
  wrapper: 'conditional_split_step',
  mayBeEmpty: true,
});

export interface SplitRow extends Row<typeof conditionalSplit> {}

/** A split test. It is read from its funnel's tree, and its ids are the ids of its step. */
export const splitTest = describe({
  type: 'SplitTestStep',
  graphqlName: 'SplitTest',
  title: 'Split test step',
  table: 'funnel_steps',
  hasLookUp: false,
  scope: 'funnels',
  wrapper: 'split_test_step',
  description:
    'A step that divides visitors between two variants by weight. A contact always sees the same variant. Both variants then continue with the next step.',
  fields: { id: IDS.id, ...stepFields },
  topic: 'split_test_step',
});

/** The audit entry of a removed split: the split before its removal, and what happened to the pages on its branches. */
export const splitRemoval = {
  id: IDS.id,
  ...stepFields,
  discardedBranch: {
    type: 'enum',
    values: [...BRANCHES.conditional_split, ...BRANCHES.split_test, 'both'],
    description: 'The branch that was discarded.',
  },
  promotedPages: {
    type: 'json',
    items: page.fields,
    description: 'The pages of the branch that was kept, in workflow order.',
  },
  discardedPages: {
    type: 'json',
    items: page.fields,
    description: 'The pages that were discarded, in workflow order.',
  },
} as const satisfies Fields;

export interface SplitRemovalRow extends RowOf<typeof splitRemoval> {}
