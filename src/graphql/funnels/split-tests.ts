// Split tests in a funnel's workflow, and their mutations.
import { invalid, NOT_TWO_ITEMS } from '../../errors.ts';
import { splitTest } from '../../resources/funnel-steps.ts';
import { page as pageNoun } from '../../resources/pages.ts';
import type { StepNode } from '../../services/funnels/funnel-steps.ts';
import * as splitTests from '../../services/funnels/split-tests.ts';
import { builder } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';
import { parseGlobalId } from '../global-ids.ts';
import type { InputBuilder } from '../mutations.ts';
import { defineNode } from '../nodes.ts';
import { nodeOf } from '../nouns.ts';
import { FunnelStep } from './funnel-steps.ts';
import {
  defineRemoval,
  defineStructureChange,
  type PlaceInput,
  parsePlace,
  placeField,
} from './workflow-changes.ts';

const Page = nodeOf(pageNoun);

const SplitTestArmChoice = defineEnum(
  'SplitTestArmChoice',
  'The arm of a split test that its removal discards.',
  {
    left: 'The left arm is discarded, and the steps of the right arm replace the test.',
    right: 'The right arm is discarded, and the steps of the left arm replace the test.',
    both: 'Both arms are discarded.',
  },
);

const SplitTestArm = builder
  .objectRef<ReturnType<typeof splitTests.variantsOf>[number]>('SplitTestArm')
  .implement({
    description: 'One of the two arms of a split test.',
    fields: (t) => ({
      weight: t.exposeInt('weight', {
        description: 'The percentage of visitors who see the arm.',
        columns: [],
      }),
      steps: t.field({
        type: [FunnelStep],
        description: 'The steps of the arm in order. Not paginated: a workflow is always read completely.',
        // The cost analysis counts them as steps of the funnel already.
        sameRows: true,
        rows: 1,
        resolve: ({ steps }) => steps,
      }),
    }),
  });

const SplitTestStep = defineNode<StepNode>(splitTest, {
  scope: splitTests.scope,
  interfaces: [FunnelStep],
  getMany: splitTests.getMany,
  fields: (t) => ({
    arms: t.field({
      type: [SplitTestArm],
      description: 'The two arms: first the left one, then the right one.',
      // The cost analysis counts an arm as one of the steps.
      columns: ['leftWeight'],
      sameRows: true,
      rows: 1,
      resolve: (test) => splitTests.variantsOf(test),
    }),
  }),
});

defineRemoval('SplitTest', {
  node: SplitTestStep,
  idField: 'splitTestId',
  removedField: 'removedSplitTestId',
  one: 'split test',
  choice: SplitTestArmChoice,
  service: splitTests,
});

interface SplitTestInput {
  readonly arms: readonly { pageId?: string | null; weight?: number | null }[];
}

const ArmInput = builder.inputType('SplitTestArmInput', {
  description: 'One of the two arms of a split test.',
  fields: (t) => ({
    pageId: t.id({ description: 'The global id of the first page of the arm.' }),
    weight: t.int({
      description:
        'The percentage of visitors who see the arm, from 0 to 100. The weights of both arms add up to 100.',
    }),
  }),
});

const arms = (t: InputBuilder) =>
  t.field({
    type: [ArmInput],
    required: true,
    description: 'The two arms, the left one first.',
  });

const NAMES = { filter: 'filterId', branches: 'arms', page: 'pageId', pages: 'pageIds', place: 'place' };

function parseTest({ arms }: SplitTestInput): splitTests.SplitTestInput {
  if (arms.length > 2) throw invalid('arms', NOT_TWO_ITEMS);
  return {
    variants: arms.map(({ pageId, weight }, index) => ({
      pageId: pageId == null ? undefined : parseGlobalId(Page, pageId, `arms[${index}].pageId`),
      weight: weight ?? undefined,
    })),
    names: NAMES,
  };
}

defineStructureChange<SplitTestInput & { place?: PlaceInput | null }>('createSplitTest', {
  description:
    'Creates a split test. The left arm takes a page that is already in the funnel, with its step. No step may show the page of the right arm yet. By default, the test takes the place of that step, and half of the visitors see each arm.',
  fields: (t) => ({ arms: arms(t), place: placeField(t, 'The place of the split test.') }),
  change: (ctx, funnel, { place, ...given }, options) =>
    splitTests.create(ctx, funnel, { ...parseTest(given), place: parsePlace(place) }, options),
});

defineStructureChange<SplitTestInput & { splitTestId: string }>('updateSplitTest', {
  description: 'Changes the weights of a split test, or the first pages of its arms.',
  fields: (t) => ({
    splitTestId: t.id({ required: true, description: 'The global id of the split test.' }),
    arms: arms(t),
  }),
  change: (ctx, funnel, { splitTestId, ...given }, options) =>
    splitTests.update(
      ctx,
      funnel,
      parseGlobalId(SplitTestStep, splitTestId, 'splitTestId'),
      parseTest(given),
      options,
    ),
});
