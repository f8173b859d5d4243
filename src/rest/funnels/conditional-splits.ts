import type { PageRequest } from '../../pagination.ts';
import type { Fields, RowOf } from '../../resources/description/fields.ts';
import { BRANCHES, conditionalSplit, stepFields } from '../../resources/funnel-steps.ts';
import { refineFilter } from '../../resources/refine-filters.ts';
import * as splits from '../../services/funnels/conditional-splits.ts';
import type { StepNode } from '../../services/funnels/funnel-steps.ts';
import * as splitDecisions from '../../services/funnels/split-decisions.ts';
import { pageOf } from '../lists.ts';
import { pageQuery } from '../page-query.ts';
import {
  createdBelow,
  expandParameter,
  type OutputForm,
  objectOf,
  outputOf,
  parseExpansions,
} from '../responses.ts';
import { type Query, type Route, route } from '../route.ts';
import { PAGE_SUMMARY } from './funnel-steps.ts';
import { splitChange, splitCreation } from './split-bodies.ts';
import { removalRoute } from './split-removals.ts';

const filters = outputOf(refineFilter);
const { currentPath: _, ...PAGE } = PAGE_SUMMARY;

/** A branch in a split: its first page, and the step that shows the page. */
export const BRANCH = {
  showPageStep: {
    type: 'json',
    nullable: true,
    object: PAGE_SUMMARY,
    description: 'The first page step of the branch, or null.',
  },
  page: { type: 'json', nullable: true, object: PAGE, description: 'The page of that step, or null.' },
} as const satisfies Fields;

const { id, ...stepsOwn } = conditionalSplit.fields;
const { internal: _of, ...funnelPublicId } = stepsOwn.funnelPublicId;
const { internal: _by, ...filterPublicId } = stepsOwn.filterPublicId;

const SPLIT = {
  id,
  publicId: stepFields.publicId,
  funnelId: stepFields.funnelId,
  funnelPublicId,
  condition: {
    type: 'json',
    object: {
      filterPublicId: { ...filterPublicId, restName: 'filter_id' },
      isSetup: { type: 'bool', description: 'Whether a saved filter decides the branch.' },
      filter: {
        type: 'json',
        optional: true,
        object: refineFilter.fields,
        schema: filters.schema,
        description: 'The saved filter.',
      },
    },
    description: 'The condition that decides the branch.',
  },
  branches: {
    type: 'json',
    items: BRANCH,
    description: 'The two branches: first the matched, then the unmatched one.',
  },
  createdAt: stepFields.createdAt,
  updatedAt: stepFields.updatedAt,
} as const satisfies Fields;

const form = outputOf({ ...conditionalSplit, fields: SPLIT });
const details: OutputForm<splits.SplitDetail> = {
  ...form,
  components: () => ({ ...filters.components(), ...form.components() }),
  write: (detail, out) => form.write(toSplit(detail), out),
};

/** The fields that lists include only with `expand[]`. */
const EXPANDABLE = ['filter'];

/** A page of splits; with `expand[]=filter`, including their saved filters. */
const listQuery: Query<{ page: PageRequest; expand: { filters: boolean } }> = {
  parameters: [
    ...pageQuery.parameters,
    expandParameter(
      EXPANDABLE,
      '`filter` includes the saved filter of each split, if the caller has the scope to read saved filters.',
    ),
  ],
  parse: (query) => ({
    page: pageQuery.parse(query),
    expand: { filters: parseExpansions(query, EXPANDABLE).has('filter') },
  }),
};

/** The contact for which the split decides; null without one. */
const contactQuery: Query<string | null> = {
  parameters: [
    {
      name: 'contact_id',
      description: 'The integer id or public id of the contact.',
      required: true,
      schema: { type: 'string' },
    },
  ],
  parse: (query) => query.getAll('contact_id').at(-1) || null,
};

const DECISION = {
  branch: {
    type: 'text',
    values: ['matched', 'unmatched'],
    description: 'The branch that the contact takes.',
  },
  reason: {
    type: 'text',
    values: ['not_set_up', 'filter_not_applicable'],
    optional: true,
    description:
      'Present only if the split sends all visitors to `unmatched`: it has no saved filter, or its criteria cannot be applied to contacts.',
  },
} as const satisfies Fields;

const decision: OutputForm<splitDecisions.Decision> = {
  ...outputOf({
    type: 'SplitDecision',
    description: 'The branch of a conditional split that a contact takes.',
    fields: DECISION,
  }),
  write: ({ branch, reason }, out) => out.addText(JSON.stringify({ branch, ...(reason && { reason }) })),
};

const MEMBER_PATH = '/funnels/:funnel_id/conditional_split_steps/:id';

/** Spec §4 "DELETE conditional split step", which gives the path without the prefix. */
const removal = (path: string, operationId: string) =>
  removalRoute(
    {
      path,
      operationId,
      summary: 'Removes a conditional split and discards the pages of one branch, or by default of both',
      resource: conditionalSplit,
      scope: splits.writeScope,
      representation: details.write,
    },
    BRANCHES.conditional_split,
    splits,
  );

export const conditionalSplitRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v2/funnels/:funnel_id/conditional_split_steps',
    operationId: 'listConditionalSplitSteps',
    summary: 'Lists the conditional splits of a funnel',
    resource: conditionalSplit,
    scope: splits.scope,
    query: listQuery,
    response: pageOf(details),
    async handle({ ctx, params, query }) {
      const { rows, more } = await splits.list(ctx, params.funnel_id, query.page);
      return { rows: await splits.detailsOf(ctx, rows, query.expand), more };
    },
  }),
  route({
    method: 'GET',
    path: `/api/v2${MEMBER_PATH}`,
    operationId: 'getConditionalSplitStep',
    summary:
      'Gets a conditional split, with its saved filter if the caller has the scope to read saved filters',
    resource: conditionalSplit,
    scope: splits.scope,
    response: objectOf(details, 'The conditional split.'),
    handle: ({ ctx, params }) => splits.getDetail(ctx, params.funnel_id, params.id),
  }),
  route({
    method: 'GET',
    path: `/api/v2${MEMBER_PATH}/branch`,
    operationId: 'getConditionalSplitStepBranch',
    summary:
      'Gets the branch of a conditional split that a contact takes. Also needs the scope to read contacts',
    resource: conditionalSplit,
    scope: splitDecisions.scope,
    gatewayOnly: true,
    query: contactQuery,
    response: objectOf(decision, 'The branch.'),
    handle: ({ ctx, params, query }) => splitDecisions.branchOf(ctx, params.funnel_id, params.id, query),
  }),
  route({
    method: 'POST',
    path: '/api/v2/funnels/:funnel_id/conditional_split_steps',
    operationId: 'createConditionalSplitStep',
    summary: 'Creates a conditional split after a page step, or at the entry of the funnel',
    resource: conditionalSplit,
    scope: splits.writeScope,
    body: splitCreation,
    response: createdBelow(details, 'The created conditional split.'),
    async handle({ ctx, params, body, options }) {
      return splits.getChanged(ctx, await splits.create(ctx, params.funnel_id, body, options));
    },
  }),
  route({
    method: 'PATCH',
    path: `/api/v2${MEMBER_PATH}`,
    operationId: 'updateConditionalSplitStep',
    summary: 'Changes the condition of a conditional split, or the pages on its branches',
    resource: conditionalSplit,
    scope: splits.writeScope,
    body: splitChange,
    response: objectOf(details, 'The conditional split after the change.'),
    representation: details.write,
    async handle({ ctx, params, body, options }) {
      return splits.getChanged(ctx, await splits.update(ctx, params.funnel_id, params.id, body, options));
    },
  }),
  removal(`/api/v2${MEMBER_PATH}`, 'removeConditionalSplitStep'),
  removal(MEMBER_PATH, 'removeConditionalSplitStepWithoutPrefix'),
];

function toSplit({ split, matched, unmatched, filter }: splits.SplitDetail) {
  const { id, publicId, funnelId, funnelPublicId, filterPublicId, filterId, createdAt, updatedAt } = split;
  const condition = { filterPublicId, isSetup: filterId !== null, ...(filter && { filter }) };
  const branches = [toBranch(matched), toBranch(unmatched)];
  return { id, publicId, funnelId, funnelPublicId, condition, branches, createdAt, updatedAt };
}

/** The page step of a branch in the form of BRANCH. */
export function toBranch(step: StepNode | null): RowOf<typeof BRANCH> {
  if (step?.page == null) return { showPageStep: null, page: null };
  const { id, publicId, name, page } = step;
  return { showPageStep: { id, publicId, name, currentPath: page.currentPath }, page };
}
