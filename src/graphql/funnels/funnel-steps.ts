// The steps of a funnel's workflow. Splits among them are in conditional-splits.ts and split-tests.ts.
import { funnelStep, stepFields } from '../../resources/funnel-steps.ts';
import { funnel as funnelNoun } from '../../resources/funnels.ts';
import { page as pageNoun } from '../../resources/pages.ts';
import * as funnelSteps from '../../services/funnels/funnel-steps.ts';
import type { Projection } from '../../services/reading/reads.ts';
import { builder, type Types } from '../builder.ts';
import { type GraphContext, loadBatched } from '../context.ts';
import { lookAhead, projectionKey } from '../look-ahead.ts';
import { defineNode } from '../nodes.ts';
import { nodeOf } from '../nouns.ts';
import { resourceFields } from '../resource-fields.ts';
import { completePage, completePages } from './pages.ts';

const Funnel = nodeOf(funnelNoun);
const Page = nodeOf(pageNoun);

type StepNode = funnelSteps.StepNode;

/** The properties of every step. Only rows of splits may lack `kind`. */
type Step = Pick<StepNode, 'id' | 'publicId' | 'funnelId' | 'name' | 'createdAt' | 'updatedAt'> & {
  readonly kind?: StepNode['kind'];
};

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
  conditional_split: 'ConditionalSplitStep',
  split_test: 'SplitTestStep',
} as const;

/** Fields of an interface are built as those of objects are. */
type StepFields = PothosSchemaTypes.ObjectFieldBuilder<Types, Step>;

export const FunnelStep = builder.interfaceRef<Step>('FunnelStep').implement({
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
    ),
  }),
});

const pageStep = {
  type: 'PageStep',
  title: 'Page step',
  table: 'funnel_steps',
  description: 'A step that shows a page.',
  fields: stepFields,
} as const;

const PageStep = defineNode<StepNode>(pageStep, {
  scope: funnelSteps.scope,
  interfaces: [FunnelStep],
  getMany: funnelSteps.stepsOfKind('page'),
  fields: (t) => ({
    page: t.field({
      type: Page.ref,
      nullable: true,
      description: 'The page that the step shows.',
      columns: ['page'],
      resolve: ({ page }, _args, ctx, info) => page && completePage(ctx, page, info),
    }),
  }),
});

builder.objectField(Funnel.ref, 'steps', (t) =>
  t.field({
    type: [FunnelStep],
    nullable: true,
    scope: funnelSteps.scope,
    rows: STEPS_OF_A_FUNNEL,
    columns: ['id'],
    below: true,
    description:
      'The top-level steps of the workflow in order. Steps on the branches of a split are below the split. Not paginated: a workflow is always read completely.',
    resolve: (funnel, _args, ctx, info) =>
      funnelSteps.stepsReadWith(funnel) ?? loadSteps(ctx, funnel.id, lookAhead(info)),
  }),
);

builder.objectField(Page.ref, 'showPageStep', (t) =>
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
    nullable: true,
    scope: funnelSteps.scope,
    rows: STEPS_OF_A_FUNNEL,
    description:
      'The pages that the steps show, including those on branches, in the order of the workflow. Not paginated: a workflow is always read completely.',
    columns: ['id'],
    async resolve(funnel, _args, ctx, info) {
      const steps = [...funnelSteps.walk(await loadSteps(ctx, funnel.id))];
      return completePages(
        ctx,
        steps.flatMap(({ page }) => page ?? []),
        info,
      );
    },
  }),
);
