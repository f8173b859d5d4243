// Split tests of a funnel over REST.
import type { Fields } from '../../resources/description/fields.ts';
import { BRANCHES, splitTest, stepFields } from '../../resources/funnel-steps.ts';
import * as splitTests from '../../services/funnels/split-tests.ts';
import { pageOf } from '../lists.ts';
import { pageQuery } from '../page-query.ts';
import { createdBelow, type OutputForm, objectOf, outputOf } from '../responses.ts';
import { type Route, route } from '../route.ts';
import { BRANCH, toBranch } from './conditional-splits.ts';
import { FUNNEL, WEIGHT } from './funnel-steps.ts';
import { testChange, testCreation } from './split-bodies.ts';
import { removalRoute } from './split-removals.ts';

const TEST = {
  id: splitTest.fields.id,
  publicId: stepFields.publicId,
  funnel: { type: 'json', object: FUNNEL, description: 'The funnel of the split test.' },
  variants: {
    type: 'json',
    items: { ...BRANCH, weight: WEIGHT },
    description: 'The two variants: first the left, then the right one.',
  },
  createdAt: stepFields.createdAt,
  updatedAt: stepFields.updatedAt,
} as const satisfies Fields;

const form = outputOf({ ...splitTest, fields: TEST });
const TESTS: OutputForm<splitTests.SplitTestDetail> = {
  ...form,
  write: (detail, out) => form.write(toTest(detail), out),
};

const LIST_PATH = '/api/v2/funnels/:funnel_id/split_test_steps';
const MEMBER_PATH = `${LIST_PATH}/:id` as const;
const reading = { resource: splitTest, scope: splitTests.scope };
const changing = { resource: splitTest, scope: splitTests.writeScope, representation: TESTS.write };

export const splitTestRoutes: readonly Route[] = [
  route({
    ...reading,
    method: 'GET',
    path: LIST_PATH,
    operationId: 'listSplitTestSteps',
    summary: 'Lists the split tests of a funnel',
    query: pageQuery,
    response: pageOf(TESTS),
    handle: ({ ctx, params, query }) => splitTests.list(ctx, params.funnel_id, query),
  }),
  route({
    ...reading,
    method: 'GET',
    path: MEMBER_PATH,
    operationId: 'getSplitTestStep',
    summary: 'Gets a split test',
    response: objectOf(TESTS, 'The split test.'),
    handle: ({ ctx, params }) => splitTests.get(ctx, params.funnel_id, params.id),
  }),
  route({
    ...changing,
    method: 'POST',
    path: LIST_PATH,
    operationId: 'createSplitTestStep',
    summary: 'Creates a split test of a page of the funnel and a page that no step shows',
    body: testCreation,
    response: createdBelow(TESTS, 'The created split test.'),
    async handle({ ctx, params, body, options }) {
      return splitTests.getChanged(ctx, await splitTests.create(ctx, params.funnel_id, body, options));
    },
  }),
  route({
    ...changing,
    method: 'PATCH',
    path: MEMBER_PATH,
    operationId: 'updateSplitTestStep',
    summary: 'Changes the weights of a split test, or the first pages of its variants',
    body: testChange,
    response: objectOf(TESTS, 'The split test after the change.'),
    async handle({ ctx, params, body, options }) {
      return splitTests.getChanged(
        ctx,
        await splitTests.update(ctx, params.funnel_id, params.id, body, options),
      );
    },
  }),
  removalRoute(
    {
      ...changing,
      path: MEMBER_PATH,
      operationId: 'removeSplitTestStep',
      summary: 'Removes a split test and discards the pages of one variant, or by default of both',
    },
    BRANCHES.split_test,
    splitTests,
  ),
];

function toTest({ funnel, test }: splitTests.SplitTestDetail) {
  const { id, publicId, createdAt, updatedAt } = test;
  const variants = splitTests.variantsOf(test).map(({ weight, steps }) => ({
    ...toBranch(steps.find(({ kind }) => kind === 'page') ?? null),
    weight,
  }));
  return { id, publicId, funnel, variants, createdAt, updatedAt };
}
