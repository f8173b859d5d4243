// The steps of a funnel's workflow. Splits among them are in conditional-splits.ts and split-tests.ts.
import { notFound } from '../../errors.ts';
import { funnelStep, stepFields } from '../../resources/funnel-steps.ts';
import { funnel as funnelNoun } from '../../resources/funnels.ts';
import { page as pageNoun } from '../../resources/pages.ts';
import * as funnelSteps from '../../services/funnels/funnel-steps.ts';
import { MAX_STEPS } from '../../services/funnels/locked-workflows.ts';
import type { Projection } from '../../services/reading/reads.ts';
import { builder, type Types } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';
import { type GraphContext, loadBatched } from '../context.ts';
import { lookAhead, projectionKey } from '../look-ahead.ts';
import { defineNode } from '../nodes.ts';
import { nodeOf } from '../nouns.ts';
import { resourceFields } from '../resource-fields.ts';
import { completePage, completePages } from './pages.ts';

const Funnel = nodeOf(funnelNoun);
const Page = nodeOf(pageNoun);

type StepNode = funnelSteps.StepNode;

/** The properties of every step that was read with its funnel's tree. Only rows of lists of splits lack `kind` and the place. */
export type Step = Pick<StepNode, 'id' | 'publicId' | 'funnelId' | 'name' | 'createdAt' | 'updatedAt'> &
  Partial<Pick<StepNode, 'kind' | 'parentId' | 'parent' | 'branch' | 'position' | 'page'>>;

/** For the cost analysis: the assumed number of steps in a funnel, since workflows are not paginated. */
export const STEPS_OF_A_FUNNEL = 20;

/** Loads the top-level steps of a funnel with their subtrees. One statement loads all funnels of a batch. */
export function loadSteps(ctx: GraphContext, funnelId: bigint, projection: Projection = null) {
  return loadBatched(ctx, `funnel_steps.tree ${projectionKey(projection)}`, funnelId, (ids) =>
    funnelSteps.listMany(ctx, ids, projection),
  );
}

/** The type of each kind of step. */
export const STEP_TYPES = {
  page: 'PageStep',
  conditional_split: 'ConditionalSplit',
  split_test: 'SplitTest',
} as const;

export const StepBranch = defineEnum(
  'StepBranch',
  'A branch of a conditional split, or an arm of a split test.',
  {
    matched: 'The branch of a conditional split for visitors who match the saved filter.',
    unmatched: 'The branch of a conditional split for all other visitors.',
    left: 'The first arm of a split test.',
    right: 'The second arm of a split test.',
  },
);

/** Fields of an interface are built as those of objects are. */
type StepFields = PothosSchemaTypes.ObjectFieldBuilder<Types, Step>;

/** The options of the fields that say where a step is. */
export const PLACE = {
  parent: {
    nullable: true,
    description: 'The split whose branch has the step. Null on the top level.',
    // The split is in the tree that was read for the step. Its cost bounds ways up and down again.
    sameRows: true,
    cost: 1,
  },
  branch: {
    type: StepBranch,
    nullable: true,
    description: 'The branch of that split that has the step. Null on the top level.',
  },
  position: {
    type: 'Int',
    description: 'The number of steps before the step on its branch or on the top level.',
  },
} as const;

const stepRef = builder.interfaceRef<Step>('FunnelStep');
export const FunnelStep = stepRef.implement({
  description: funnelStep.description,
  interfaces: [builder.nodeInterfaceRef()],
  scope: funnelSteps.scope,
  resolveType: ({ kind = 'conditional_split' }) => STEP_TYPES[kind],
  fields: (t) => ({
    databaseId: t.field({
      type: 'BigInt',
      description: 'The integer id of the step.',
      columns: ['id'],
      resolve: ({ id }) => id,
    }),
    ...resourceFields(t, stepFields),
    funnel: Funnel.field(
      t as object as StepFields,
      'funnelId',
      'The funnel whose workflow contains the step.',
      // Steps need the scope of funnels, and nothing deletes a funnel.
      { always: true },
    ),
    parent: t.field({
      ...PLACE.parent,
      type: stepRef,
      columns: ['parentId'],
      resolve: ({ parent }) => parent ?? null,
    }),
    branch: t.field({ ...PLACE.branch, column: 'branch', resolve: ({ branch }) => branch ?? null }),
    position: t.field({ ...PLACE.position, column: 'position', resolve: ({ position }) => position ?? 0 }),
  }),
});

const pageStep = {
  type: 'PageStep',
  title: 'Page step',
  table: 'funnel_steps',
  hasLookUp: false,
  description: 'A step that shows a page.',
  fields: stepFields,
} as const;

export const PageStep = defineNode<StepNode>(pageStep, {
  scope: funnelSteps.scope,
  interfaces: [FunnelStep],
  getMany: funnelSteps.stepsOfKind('page'),
  fields: (t) => ({
    page: t.field({
      type: Page.ref,
      description: 'The page that the step shows.',
      columns: ['page'],
      async resolve({ page }, _args, ctx, info) {
        const shown = page && (await completePage(ctx, page, info));
        // Its removal has removed the step as well, since that was read.
        if (shown === null) throw notFound(Page.title);
        return shown;
      },
    }),
  }),
});

/** A branch of a split as a field: its steps were read with the split. */
export const BRANCH = {
  // The cost analysis counts them as steps of the funnel already.
  sameRows: true,
  rows: 1,
} as const;

builder.objectField(Funnel.ref, 'steps', (t) =>
  t.field({
    type: [FunnelStep],
    scope: funnelSteps.scope,
    rows: STEPS_OF_A_FUNNEL,
    sharesReads: true,
    columns: ['id'],
    below: true,
    description: `All steps of the workflow in its order, at most ${MAX_STEPS}: each split before the steps of its first branch, then those of its second one. \`parent\`, \`branch\` and \`position\` say where a step is. Not paginated: a workflow is always read completely.`,
    resolve: (funnel, _args, ctx, info) => {
      const read = funnelSteps.stepsReadWith(funnel);
      return read === undefined
        ? loadSteps(ctx, funnel.id, lookAhead(info)).then(funnelSteps.inOrder)
        : funnelSteps.inOrder(read);
    },
  }),
);

builder.objectField(Page.ref, 'step', (t) =>
  t.field({
    type: PageStep.ref,
    nullable: true,
    scope: funnelSteps.scope,
    description: 'The step that shows the page, or null.',
    columns: ['showPageStep'],
    resolve: ({ showPageStep }, _args, ctx) => showPageStep && PageStep.load(ctx, BigInt(showPageStep.id)),
  }),
);

builder.objectField(Funnel.ref, 'pages', (t) =>
  t.field({
    type: [Page.ref],
    scope: funnelSteps.scope,
    rows: STEPS_OF_A_FUNNEL,
    description:
      'The pages that the steps show, including those on branches, in the order of the workflow. Not paginated: a workflow is always read completely.',
    columns: ['id'],
    async resolve(funnel, _args, ctx, info) {
      const steps = funnelSteps.inOrder(await loadSteps(ctx, funnel.id));
      return completePages(
        ctx,
        steps.flatMap(({ page }) => page ?? []),
        info,
      );
    },
  }),
);
