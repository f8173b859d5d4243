// The steps of a funnel's workflow. Splits among them are in conditional-splits.ts.
import * as funnelSteps from '../services/funnel-steps.ts';
import * as funnels from '../services/funnels.ts';
import type { Projection } from '../services/reads.ts';
import { builder } from './builder.ts';
import { type GraphContext, loadBatched } from './context.ts';
import { Funnel } from './funnels.ts';
import { keyOf, lookAhead } from './look-ahead.ts';
import { defineNode } from './nodes.ts';
import { Page } from './pages.ts';

type StepNode = funnelSteps.StepNode;

/** What every step has; only a split may come without its kind. */
type Step = Pick<StepNode, 'id' | 'publicId' | 'funnelId' | 'name' | 'createdAt' | 'updatedAt'> & {
  readonly kind?: StepNode['kind'];
};

/** Rows of a workflow, for the cost of an operation: its size is not known beforehand. */
const STEPS_OF_A_FUNNEL = 20;

/** The top-level steps of a funnel, with all that is below them; one statement for all funnels asked for together. */
export function loadSteps(ctx: GraphContext, funnelId: bigint, projection: Projection = null) {
  return loadBatched(ctx, `funnel_steps.tree ${keyOf(projection)}`, funnelId, (ids) =>
    funnelSteps.listMany(ctx, ids, projection),
  );
}

/** The loader of one kind of step by id. */
export function stepsOfKind(kind: StepNode['kind']) {
  return async (ctx: GraphContext, ids: readonly bigint[]) =>
    (await funnelSteps.getMany(ctx, ids)).map((step) => (step?.kind === kind ? step : null));
}

export const FunnelStep = builder.interfaceRef<Step>('FunnelStep').implement({
  description:
    'A step of a funnel’s workflow: a page, or a conditional split with steps of its own on two branches.',
  interfaces: [builder.nodeInterfaceRef()],
  extensions: { scope: funnels.scope },
  resolveType: ({ kind }) => (kind === 'page' ? 'PageStep' : 'ConditionalSplitStep'),
  fields: (t) => ({
    databaseId: t.field({
      type: 'BigInt',
      description: 'The integer id of the step.',
      extensions: { columns: ['id'] },
      resolve: ({ id }) => id,
    }),
    publicId: t.exposeString('publicId', { description: 'The short public id of the step.' }),
    name: t.exposeString('name', { description: 'The name of the step.' }),
    funnelId: t.expose('funnelId', { type: 'BigInt', description: 'The `databaseId` of its funnel.' }),
    funnel: t.field({
      type: Funnel.ref,
      nullable: true,
      description: 'The funnel whose workflow the step is part of.',
      extensions: { columns: ['funnelId'] },
      resolve: ({ funnelId }, _args, ctx) => Funnel.load(ctx, funnelId),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the step was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When the step was last changed or moved.',
    }),
  }),
});

defineNode<StepNode>('PageStep', {
  description: 'A step that shows a page.',
  scope: funnels.scope,
  interfaces: [FunnelStep],
  loadMany: stepsOfKind('page'),
  fields: (t) => ({
    page: t.field({
      type: Page.ref,
      nullable: true,
      description: 'The page that the step shows.',
      extensions: { columns: ['page'] },
      resolve: ({ page }) => page,
    }),
  }),
});

builder.objectField(Funnel.ref, 'steps', (t) =>
  t.field({
    type: [FunnelStep],
    nullable: true,
    extensions: { rows: STEPS_OF_A_FUNNEL, columns: ['id'] },
    description:
      'The top-level steps of the main workflow in order. Not paginated: a workflow is read whole. Steps on a split’s branches are below the split.',
    resolve: ({ id }, _args, ctx, info) => loadSteps(ctx, id, lookAhead(info)),
  }),
);
