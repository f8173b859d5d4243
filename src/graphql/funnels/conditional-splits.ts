// Conditional splits in a funnel's workflow, and their mutations.

import { invalid, mustBeOneOf, notFound, REQUIRED } from '../../errors.ts';
import { contact as contactNoun } from '../../resources/contacts.ts';
import { BRANCHES, conditionalSplit, type SplitRow } from '../../resources/funnel-steps.ts';
import { funnel } from '../../resources/funnels.ts';
import { page } from '../../resources/pages.ts';
import { refineFilter } from '../../resources/refine-filters.ts';
import * as splits from '../../services/funnels/conditional-splits.ts';
import { type StepNode, walk } from '../../services/funnels/funnel-steps.ts';
import * as splitDecisions from '../../services/funnels/split-decisions.ts';
import { ENTRY } from '../../services/funnels/step-places.ts';
import type { BranchName } from '../../services/funnels/workflow.ts';
import { builder } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';
import { type GraphContext, loadBatched } from '../context.ts';
import { parseGlobalId } from '../global-ids.ts';
import type { InputBuilder } from '../mutations.ts';
import type { NodeType } from '../nodes.ts';
import { connectionOf, nodeOf } from '../nouns.ts';
import { BRANCH, FunnelStep, loadSteps, PLACE, STEPS_OF_A_FUNNEL, StepBranch } from './funnel-steps.ts';
import { completePages } from './pages.ts';
import { removalPreview } from './split-previews.ts';
import { type PlaceInput, parsePlace, placeField } from './step-places.ts';
import { changedStep, defineAddition, defineRemoval, defineStepChange } from './workflow-changes.ts';

/** A split that was loaded with its funnel's tree, or a row of a list, whose place and branches are loaded only when they are selected. */
type Split = StepNode | SplitRow;

const DiscardedBranch = defineEnum(
  'DiscardedBranch',
  'The branch of a conditional split whose pages its removal discards.',
  {
    matched: 'The matched branch is discarded, and the steps of the unmatched branch replace the split.',
    unmatched: 'The unmatched branch is discarded, and the steps of the matched branch replace the split.',
    both: 'Both branches are discarded.',
  },
);

const ConditionalSplit = nodeOf(conditionalSplit) as NodeType<object> as NodeType<Split>;
const Funnel = nodeOf(funnel);
const Page = nodeOf(page);

/** Whether the split was loaded with its tree. Then its place and branches are known without a promise, which would cost more than they do. */
const isInTree = (split: Split): split is StepNode => 'branches' in split;

async function findInTree(ctx: GraphContext, { id, funnelId }: Split): Promise<StepNode | null> {
  return walk(await loadSteps(ctx, funnelId)).find((step) => step.id === id) ?? null;
}

/** What a split has in its funnel's tree. @param absent if it was removed meanwhile */
function inTree<Value>(
  ctx: GraphContext,
  split: Split,
  pick: (node: StepNode) => Value,
  absent: Value,
): Value | Promise<Value> {
  if (isInTree(split)) return pick(split);
  return findInTree(ctx, split).then((node) => (node === null ? absent : pick(node)));
}

ConditionalSplit.ref.addInterfaces([FunnelStep]);
builder.objectFields(ConditionalSplit.ref, (t) => {
  const branchField = (branch: 'matched' | 'unmatched', description: string) =>
    t.field({
      ...BRANCH,
      type: [FunnelStep],
      description,
      columns: ['funnelId'],
      resolve: (split, _args, ctx) =>
        inTree<readonly StepNode[]>(ctx, split, ({ branches }) => branches?.[branch] ?? [], []),
    });
  return {
    isSetUp: t.boolean({
      description: 'Whether the split has a saved filter that decides the branch.',
      columns: ['filterId'],
      resolve: ({ filterId }) => filterId !== null,
    }),
    savedFilter: nodeOf(refineFilter).field(
      t,
      'filterId',
      'The saved filter that decides the branch. Null while the split is not set up.',
    ),
    matched: branchField(
      'matched',
      'The steps of the branch for visitors who match the saved filter, in order.',
    ),
    unmatched: branchField('unmatched', 'The steps of the branch for all other visitors, in order.'),
    parent: t.field({
      ...PLACE.parent,
      type: FunnelStep,
      columns: ['funnelId'],
      resolve: (split, _args, ctx) =>
        inTree<StepNode | null>(ctx, split, ({ parent }) => parent ?? null, null),
    }),
    branch: t.field({
      ...PLACE.branch,
      columns: ['funnelId', 'branch' as never],
      resolve: (split, _args, ctx) => inTree(ctx, split, ({ branch }) => branch, null),
    }),
    position: t.field({
      ...PLACE.position,
      columns: ['funnelId', 'position' as never],
      resolve: (split, _args, ctx) => inTree(ctx, split, ({ position }) => position, 0),
    }),
    removalPreview: removalPreview(t, {
      argument: 'branch',
      choice: DiscardedBranch,
      service: splits,
    }),
  };
});

const UndecidedReason = defineEnum(
  'UndecidedReason',
  'The reason why a conditional split sends all visitors to the branch UNMATCHED.',
  {
    not_set_up: 'The split has no saved filter.',
    filter_not_applicable: 'The criteria of the saved filter cannot be applied to contacts.',
  },
);

const SplitDecision = builder.objectRef<splitDecisions.Decision>('SplitDecision').implement({
  description: 'The branch of a conditional split that a contact takes.',
  fields: (t) => ({
    branch: t.expose('branch', {
      type: StepBranch,
      description: 'The branch that the contact takes: MATCHED or UNMATCHED.',
    }),
    reason: t.expose('reason', {
      type: UndecidedReason,
      nullable: true,
      description: 'The reason for UNMATCHED if no saved filter decided it. Otherwise null.',
    }),
  }),
});

const contactIdArgument = { required: true, description: 'The global id of the contact.' } as const;

/** Parses the key of a loader: the ids of a contact, and of the split or filter that is evaluated for it. */
function parseIds(key: string): [contactId: bigint, id: bigint] {
  const [contactId = '', id = ''] = key.split(' ');
  return [BigInt(contactId), BigInt(id)];
}

builder.objectField(ConditionalSplit.ref, 'branchFor', (t) =>
  t.field({
    type: SplitDecision,
    nullable: true,
    scope: splitDecisions.contactScope,
    description: 'The branch that a contact of the workspace takes, according to the contact’s current data.',
    columns: ['id'],
    args: { contactId: t.arg.id(contactIdArgument) },
    async resolve({ id }, { contactId }, ctx) {
      const contact = parseGlobalId(nodeOf(contactNoun), contactId, 'contactId');
      const decision = await loadBatched(ctx, 'conditional_splits.branch', `${contact} ${id}`, (keys) =>
        splitDecisions.branchesOf(
          ctx,
          keys.map(parseIds).map(([contactId, splitId]) => ({ contactId, splitId })),
        ),
      );
      if (decision === null) throw notFound('Contact');
      return decision;
    },
  }),
);

builder.objectField(Funnel.ref, 'pagesFor', (t) =>
  t.field({
    type: [Page.ref],
    nullable: true,
    scope: splitDecisions.contactScope,
    rows: STEPS_OF_A_FUNNEL,
    description:
      'The pages that a contact of the workspace sees, in order: at each conditional split, the pages of the branch that the contact takes, according to the contact’s current data. Not paginated: a workflow is always read completely.',
    columns: ['id'],
    args: { contactId: t.arg.id(contactIdArgument) },
    async resolve({ id }, { contactId }, ctx, info) {
      const contact = parseGlobalId(nodeOf(contactNoun), contactId, 'contactId');
      const pages = await loadBatched(ctx, 'funnels.path', `${contact} ${id}`, (keys) =>
        splitDecisions.pathsOf(
          ctx,
          keys.map(parseIds).map(([contactId, funnelId]) => ({ contactId, funnelId })),
        ),
      );
      if (pages === null) throw notFound('Contact');
      return completePages(ctx, pages, info);
    },
  }),
);

const splitIn = (shown: object) => (shown as splits.SplitDetail).split;

defineRemoval({
  node: ConditionalSplit,
  one: 'conditional split',
  title: conditionalSplit.title,
  argument: 'branch',
  choice: DiscardedBranch,
  service: splits,
  splitIn,
});

/** The pages for a branch in an input: one of its members. */
interface BranchPagesInput {
  readonly firstPageId?: string | null;
  readonly addedPageIds?: readonly string[] | null;
}

interface ConditionalSplitInput {
  readonly savedFilterId?: string | null;
  readonly matched?: BranchPagesInput | null;
  readonly unmatched?: BranchPagesInput | null;
}

const BranchPagesInput = builder.inputType('BranchPagesInput', {
  description: 'The new pages of a branch. No step may show them yet.',
  isOneOf: true,
  fields: (t) => ({
    firstPageId: t.id({
      description: 'The global id of the first page, which replaces the previous first page.',
    }),
    addedPageIds: t.idList({ description: 'The global ids of pages to add at the end.' }),
  }),
});

const splitFields = (t: InputBuilder) => ({
  savedFilterId: t.id({
    description: 'The global id of the saved filter that decides the branch. Null for no filter.',
  }),
  matched: t.field({ type: BranchPagesInput, description: 'The pages of the matched branch.' }),
  unmatched: t.field({ type: BranchPagesInput, description: 'The pages of the unmatched branch.' }),
});

const [MATCHED, UNMATCHED] = BRANCHES.conditional_split;
const MEMBERS = { page: 'firstPageId', pages: 'addedPageIds' } as const;
const NAMES: splits.SplitInput['names'] = {
  filter: 'savedFilterId',
  branches: 'input',
  ...MEMBERS,
  pathOf: (index, member) =>
    `${BRANCHES.conditional_split[index]}${member === undefined ? '' : `.${MEMBERS[member]}`}`,
  // Its branches have no weights.
  weights: { name: 'input', fault: REQUIRED },
};

function parseSplit({ savedFilterId, ...given }: ConditionalSplitInput): splits.SplitInput {
  const parsePages = (name: 'matched' | 'unmatched') => {
    const { firstPageId, addedPageIds } = given[name] ?? {};
    return {
      pageId: firstPageId == null ? undefined : parseGlobalId(Page, firstPageId, `${name}.${MEMBERS.page}`),
      pageIds: addedPageIds?.map((id) => parseGlobalId(Page, id, `${name}.${MEMBERS.pages}`)),
    };
  };
  return {
    filterId:
      savedFilterId == null
        ? savedFilterId
        : parseGlobalId(nodeOf(refineFilter), savedFilterId, 'savedFilterId'),
    branches: [parsePages(MATCHED), parsePages(UNMATCHED)],
    names: NAMES,
  };
}

/** @throws AppError `invalid` for an arm of a split test */
function parseWrap(branch: BranchName | null | undefined): splits.NewSplit['wrap'] {
  if (branch == null || branch === MATCHED || branch === UNMATCHED) return branch ?? undefined;
  throw invalid('wrap', mustBeOneOf('MATCHED or UNMATCHED'));
}

defineAddition<ConditionalSplitInput & { place?: PlaceInput | null; wrap?: BranchName | null }>(
  'createConditionalSplit',
  {
    description: 'Creates a conditional split, by default at the entry of the funnel.',
    fields: (t) => ({
      ...splitFields(t),
      place: placeField(t, 'The place of the split.'),
      wrap: t.field({
        type: StepBranch,
        description:
          'The branch, MATCHED or UNMATCHED, that takes over the steps that would follow the split. Without it, they follow the split.',
      }),
    }),
    change: (ctx, funnel, { place, wrap, ...given }, options) =>
      splits.create(
        ctx,
        funnel,
        { ...parseSplit(given), place: parsePlace(place) ?? ENTRY, wrap: parseWrap(wrap) },
        options,
      ),
    changed: (t) => ({
      conditionalSplit: changedStep(t, ConditionalSplit.ref, 'The new split.'),
      conditionalSplitEdge: changedStep(
        t,
        connectionOf(conditionalSplit).edge as never,
        'The new split as an edge, with its cursor in the default order, so that a client can add it to a loaded list.',
      ),
    }),
  },
);

defineStepChange<ConditionalSplitInput>('updateConditionalSplit', {
  description: 'Changes the condition of a conditional split, or the pages on its branches.',
  idField: 'conditionalSplitId',
  idDescription: 'The global id of the split.',
  title: conditionalSplit.title,
  parseId: (id, field) => parseGlobalId(ConditionalSplit, id, field),
  splitIn,
  fields: splitFields,
  change: (ctx, { funnel, stepId }, given, options) =>
    splits.update(ctx, funnel, stepId, parseSplit(given), options),
  changed: (t) => ({
    conditionalSplit: changedStep(t, ConditionalSplit.ref, 'The split after the change.'),
  }),
});
