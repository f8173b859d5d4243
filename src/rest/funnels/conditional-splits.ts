import { type PageRequest, parsePageQuery } from '../../pagination.ts';
import { conditionalSplit, stepFields } from '../../resources/funnel-steps.ts';
import { refineFilter } from '../../resources/refine-filters.ts';
import type { ByteWriter } from '../../rows/byte-writer.ts';
import { toRestObject } from '../../rows/resource-writer.ts';
import * as splits from '../../services/funnels/conditional-splits.ts';
import type { StepNode } from '../../services/funnels/funnel-steps.ts';
import * as splitDecisions from '../../services/funnels/split-decisions.ts';
import { pageOf, pageQuery } from '../lists.ts';
import { createdBelow, expanded, expandParameter, objectOf, type Shown, shown } from '../responses.ts';
import { type Query, type Route, route } from '../route.ts';
import { enumSchema, fieldSchema, objectSchema, type Schema, schemaRef } from '../schemas.ts';
import { PAGE_SUMMARY } from './funnel-steps.ts';
import { splitChange, splitCreation } from './split-bodies.ts';
import { removalQuery, removedOrShown } from './split-removals.ts';

const filters = shown(refineFilter);
const { currentPath: _, ...PAGE } = PAGE_SUMMARY;

const details: Shown<splits.SplitDetail> = {
  schema: schemaRef(conditionalSplit.type),
  components: () => ({ ...filters.components(), [conditionalSplit.type]: splitSchema() }),
  write: writeSplit,
};

/** What only `expand[]` shows in a list. */
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
    page: parsePageQuery(query),
    expand: { filters: expanded(query, EXPANDABLE).has('filter') },
  }),
};

/** The contact that a split decides about; null where none was named. */
const contactQuery: Query<string | null> = {
  parameters: [
    {
      name: 'contact_id',
      description: 'The id of the contact, integer or public.',
      required: true,
      schema: { type: 'string' },
    },
  ],
  parse: (query) => query.getAll('contact_id').at(-1) || null,
};

const UNDECIDED = enumSchema('not_set_up', 'filter_not_applicable');

/** A decision: `reason` is there only where no filter has decided. */
const decision: Shown<splitDecisions.Decision> = {
  schema: schemaRef('SplitDecision'),
  components: () => ({
    SplitDecision: {
      description: 'The branch of a conditional split that a contact goes down.',
      type: 'object',
      properties: {
        branch: enumSchema('matched', 'unmatched'),
        reason: {
          ...UNDECIDED,
          description:
            'Only where everybody goes down `unmatched`: no saved filter is set up, or its criteria cannot be applied to contacts.',
        },
      },
      required: ['branch'],
    },
  }),
  write: ({ branch, reason }, out) => out.addText(JSON.stringify({ branch, ...(reason && { reason }) })),
};

const MEMBER_PATH = '/funnels/:funnel_id/conditional_split_steps/:id';

/** Spec §4 "DELETE conditional split step", which prints the path without the prefix. */
const removal = (path: `${'/api/v2' | ''}${typeof MEMBER_PATH}`, operationId: string) =>
  route({
    method: 'DELETE',
    path,
    operationId,
    summary: 'Removes a conditional split and discards the pages of one branch, by default of both',
    resource: conditionalSplit,
    scope: splits.writeScope,
    query: removalQuery(['matched', 'unmatched', 'both'], splits.parseBranchChoice),
    response: removedOrShown('The split is removed.'),
    representation: details.write,
    async handle({ ctx, params, query: { branch, isDry }, options }) {
      const input = { funnel: params.funnel_id, split: params.id, branch };
      if (isDry) return splits.preview(ctx, input, options);
      await splits.remove(ctx, input, options);
      return null;
    },
  });

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
      'Gets the branch of a conditional split that a contact goes down. Needs the scope to read contacts as well',
    resource: conditionalSplit,
    scope: splitDecisions.scope,
    query: contactQuery,
    response: objectOf(decision, 'The branch.'),
    handle: ({ ctx, params, query }) => splitDecisions.branchOf(ctx, params.funnel_id, params.id, query),
  }),
  route({
    method: 'POST',
    path: '/api/v2/funnels/:funnel_id/conditional_split_steps',
    operationId: 'createConditionalSplitStep',
    summary: 'Creates a conditional split behind a page step, or at the entry of the funnel',
    resource: conditionalSplit,
    scope: splits.writeScope,
    body: splitCreation,
    response: createdBelow(details, 'The conditional split that was created.'),
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
    response: objectOf(details, 'The conditional split as it is now.'),
    representation: details.write,
    async handle({ ctx, params, body, options }) {
      return splits.getChanged(ctx, await splits.update(ctx, params.funnel_id, params.id, body, options));
    },
  }),
  removal(`/api/v2${MEMBER_PATH}`, 'removeConditionalSplitStep'),
  removal(MEMBER_PATH, 'removeConditionalSplitStepWithoutPrefix'),
];

/** A split with the first page of each branch, matched before unmatched. */
function writeSplit({ split, matched, unmatched, filter }: splits.SplitDetail, out: ByteWriter): void {
  const condition = JSON.stringify({ filter_id: split.filterPublicId, is_setup: split.filterId !== null });
  out.addText(
    `{"id":${split.id},"public_id":"${split.publicId}","funnel_id":${split.funnelId},` +
      `"funnel_public_id":"${split.funnelPublicId}","condition":${condition.slice(0, -1)}`,
  );
  if (filter !== null) {
    out.addText(',"filter":');
    filters.write(filter, out);
  }
  out.addText(
    `},"branches":${JSON.stringify([toBranch(matched), toBranch(unmatched)])},` +
      `"created_at":"${split.createdAt.toISOString()}","updated_at":"${split.updatedAt.toISOString()}"}`,
  );
}

/** A page step of a branch, as splits show it. */
export function toBranch(step: StepNode | null) {
  if (step?.page == null) return { show_page_step: null, page: null };
  const { id, publicId, name, page: shownPage } = step;
  const { currentPath } = shownPage;
  return {
    show_page_step: toRestObject({ id, publicId, name, currentPath }, PAGE_SUMMARY),
    page: toRestObject(shownPage, PAGE),
  };
}

/** The schema of what `writeSplit` writes. */
function splitSchema(): Schema {
  const properties = {
    id: fieldSchema(conditionalSplit.fields.id),
    public_id: fieldSchema(stepFields.publicId),
    funnel_id: fieldSchema(stepFields.funnelId),
    funnel_public_id: fieldSchema(conditionalSplit.fields.funnelPublicId),
    condition: {
      type: 'object',
      properties: {
        filter_id: fieldSchema(conditionalSplit.fields.filterPublicId),
        is_setup: { type: 'boolean', description: 'Whether a saved filter decides the branch.' },
        filter: filters.schema,
      },
      required: ['filter_id', 'is_setup'],
    },
    branches: {
      type: 'array',
      description: 'First the matched branch, then the unmatched one.',
      items: {
        type: 'object',
        properties: BRANCH_PROPERTIES,
        required: Object.keys(BRANCH_PROPERTIES),
      },
    },
    created_at: fieldSchema(stepFields.createdAt),
    updated_at: fieldSchema(stepFields.updatedAt),
  };
  return {
    description: conditionalSplit.description,
    type: 'object',
    properties,
    required: Object.keys(properties),
  };
}

export const BRANCH_PROPERTIES = {
  show_page_step: orNull(objectSchema(PAGE_SUMMARY)),
  page: orNull(objectSchema(PAGE)),
};

function orNull(schema: Schema): Schema {
  return { ...schema, type: ['object', 'null'] };
}
