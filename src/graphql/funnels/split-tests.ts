// Split tests in a funnel's workflow, and their mutations.
import { outOfRange } from '../../errors.ts';
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
import { BRANCH, FunnelStep, StepBranch } from './funnel-steps.ts';
import { removalPreview } from './split-previews.ts';
import { type PlaceInput, parsePlace, placeField } from './step-places.ts';
import { changedStep, defineAddition, defineRemoval, defineStepChange } from './workflow-changes.ts';

const Page = nodeOf(pageNoun);

const DiscardedArm = defineEnum('DiscardedArm', 'The arm of a split test whose pages its removal discards.', {
  left: 'The left arm is discarded, and the steps of the right arm replace the test.',
  right: 'The right arm is discarded, and the steps of the left arm replace the test.',
  both: 'Both arms are discarded.',
});

const SplitTestArm = builder.objectRef<splitTests.Variant>('SplitTestArm').implement({
  description: 'An arm of a split test.',
  fields: (t) => ({
    branch: t.expose('branch', {
      type: StepBranch,
      description: 'Which arm it is: LEFT or RIGHT.',
      columns: [],
    }),
    weight: t.exposeInt('weight', {
      description: 'The percentage of visitors who see the arm.',
      columns: [],
    }),
    steps: t.field({
      ...BRANCH,
      type: [FunnelStep],
      description: 'The steps of the arm in order.',
      resolve: ({ steps }) => steps,
    }),
  }),
});

const SplitTest = defineNode<StepNode>(splitTest, {
  scope: splitTests.scope,
  interfaces: [FunnelStep],
  getMany: splitTests.getMany,
  fields: (t) => ({
    arms: t.field({
      type: [SplitTestArm],
      description: 'The two arms: first LEFT, then RIGHT.',
      // The cost analysis counts an arm as one of the steps.
      columns: ['leftWeight'],
      sameRows: true,
      rows: 1,
      resolve: (test) => splitTests.variantsOf(test),
    }),
    removalPreview: removalPreview(t, { argument: 'arm', choice: DiscardedArm, service: splitTests }),
  }),
});

const splitIn = (shown: object) => (shown as splitTests.SplitTestDetail).test;

defineRemoval({
  node: SplitTest,
  one: 'split test',
  title: splitTest.title,
  argument: 'arm',
  choice: DiscardedArm,
  service: splitTests,
  splitIn,
});

interface SplitTestInput {
  readonly leftPageId?: string | null;
  readonly rightPageId?: string | null;
  readonly leftWeight?: number | null;
}

const leftWeight = (t: InputBuilder, description: string) =>
  t.int({ description: `The percentage of visitors who see the left arm, from 0 to 100.${description}` });

const PAGES = ['leftPageId', 'rightPageId'] as const;
const NAMES: splitTests.SplitTestInput['names'] = {
  ...{ filter: 'savedFilterId', branches: 'input', page: PAGES[1], pages: PAGES[1] },
  pathOf: (index) => PAGES[index] ?? 'input',
  weights: { name: 'leftWeight', fault: outOfRange('from 0 to 100') },
};

function parseTest({ leftWeight, ...pages }: SplitTestInput): splitTests.SplitTestInput {
  const [left, right] = PAGES.map((name) => {
    const id = pages[name];
    return id == null ? undefined : parseGlobalId(Page, id, name);
  });
  return {
    variants: [{ pageId: left, weight: leftWeight ?? undefined }, { pageId: right }],
    names: NAMES,
  };
}

defineAddition<SplitTestInput & { place?: PlaceInput | null }>('createSplitTest', {
  description:
    'Creates a split test of two pages. The left arm takes a page that is already in the funnel, with its step.',
  fields: (t) => ({
    leftPageId: t.id({
      required: true,
      description: 'The global id of the first page of the left arm, which a step of the funnel shows.',
    }),
    rightPageId: t.id({
      required: true,
      description: 'The global id of the first page of the right arm, which no step shows yet.',
    }),
    leftWeight: leftWeight(t, ' By default 50.'),
    place: placeField(t, 'The place of the split test, by default that of the step of the left page.'),
  }),
  change: (ctx, funnel, { place, ...given }, options) =>
    splitTests.create(ctx, funnel, { ...parseTest(given), place: parsePlace(place) }, options),
  changed: (t) => ({ splitTest: changedStep(t, SplitTest.ref, 'The new split test.') }),
});

defineStepChange<SplitTestInput>('updateSplitTest', {
  description: 'Changes the weights of a split test, or the first pages of its arms.',
  idField: 'splitTestId',
  idDescription: 'The global id of the split test.',
  title: splitTest.title,
  parseId: (id, field) => parseGlobalId(SplitTest, id, field),
  splitIn,
  fields: (t) => ({
    leftPageId: t.id({ description: 'The global id of the new first page of the left arm.' }),
    rightPageId: t.id({ description: 'The global id of the new first page of the right arm.' }),
    leftWeight: leftWeight(t, ''),
  }),
  change: (ctx, { funnel, stepId }, given, options) =>
    splitTests.update(ctx, funnel, stepId, parseTest(given), options),
  changed: (t) => ({ splitTest: changedStep(t, SplitTest.ref, 'The split test after the change.') }),
});
