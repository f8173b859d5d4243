// Conditional splits in a funnel's workflow, and their mutations.

import { invalid, notFound, tooManyItems } from '../../errors.ts';
import { contact as contactNoun } from '../../resources/contacts.ts';
import { conditionalSplit, type SplitRow } from '../../resources/funnel-steps.ts';
import { funnel } from '../../resources/funnels.ts';
import { page } from '../../resources/pages.ts';
import { refineFilter } from '../../resources/refine-filters.ts';
import * as splits from '../../services/funnels/conditional-splits.ts';
import { type Branches, type StepNode, walk } from '../../services/funnels/funnel-steps.ts';
import * as splitDecisions from '../../services/funnels/split-decisions.ts';
import { ENTRY } from '../../services/funnels/workflow-changes.ts';
import { builder } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';
import { type GraphContext, loadBatched } from '../context.ts';
import { parseGlobalId } from '../global-ids.ts';
import type { InputBuilder } from '../mutations.ts';
import type { NodeType } from '../nodes.ts';
import { nodeOf } from '../nouns.ts';
import { FunnelStep, loadSteps, STEPS_OF_A_FUNNEL } from './funnel-steps.ts';
import { completePages } from './pages.ts';
import {
  defineRemoval,
  defineStructureChange,
  type PlaceInput,
  parsePlace,
  placeField,
} from './workflow-changes.ts';

/** A split that was loaded with its funnel's tree, or a row of a list, whose branches are loaded only when they are selected. */
type Split = StepNode | SplitRow;

const SplitBranch = defineEnum('SplitBranch', 'One of the two branches of a conditional split.', {
  matched: 'The branch for visitors who match the saved filter.',
  unmatched: 'The branch for all other visitors.',
});

const SplitBranchChoice = defineEnum(
  'SplitBranchChoice',
  'The branch of a conditional split that its removal discards.',
  {
    matched: 'The matched branch is discarded, and the steps of the unmatched branch replace the split.',
    unmatched: 'The unmatched branch is discarded, and the steps of the matched branch replace the split.',
    both: 'Both branches are discarded.',
  },
);

const ConditionalSplitBranch = builder
  .objectRef<{ branch: 'matched' | 'unmatched'; steps: readonly StepNode[] }>('ConditionalSplitBranch')
  .implement({
    description: 'A branch of a conditional split.',
    fields: (t) => ({
      branch: t.expose('branch', {
        type: SplitBranch,
        description: 'The kind of branch: MATCHED or UNMATCHED.',
        columns: [],
      }),
      steps: t.field({
        type: [FunnelStep],
        description: 'The steps of the branch in order. Not paginated: a workflow is always read completely.',
        // The cost analysis counts them as steps of the funnel already.
        sameRows: true,
        rows: 1,
        resolve: ({ steps }) => steps,
      }),
    }),
  });

const ConditionalSplitStep = nodeOf(conditionalSplit) as NodeType<object> as NodeType<Split>;
const Funnel = nodeOf(funnel);
const Page = nodeOf(page);

ConditionalSplitStep.ref.addInterfaces([FunnelStep]);
builder.objectFields(ConditionalSplitStep.ref, (t) => ({
  isSetup: t.boolean({
    description: 'Whether the split has a saved filter that decides the branch.',
    columns: ['filterId'],
    resolve: ({ filterId }) => filterId !== null,
  }),
  filter: nodeOf(refineFilter).field(
    t,
    'filterId',
    'The saved filter that decides the branch. Null while the split is not set up.',
  ),
  branches: t.field({
    type: [ConditionalSplitBranch],
    nullable: true,
    description: 'The two branches: first MATCHED, then UNMATCHED.',
    // The cost analysis counts a branch as one of the steps.
    columns: ['funnelId'],
    sameRows: true,
    rows: 1,
    resolve: (split, _args, ctx) => branchesOf(ctx, split),
  }),
}));

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
    branch: t.expose('branch', { type: SplitBranch, description: 'The branch that the contact takes.' }),
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

builder.objectField(ConditionalSplitStep.ref, 'branchFor', (t) =>
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

builder.objectField(Funnel.ref, 'path', (t) =>
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

/** Synchronous when the split was loaded with its tree: a promise would cost more than the answer itself. */
function branchesOf(ctx: GraphContext, split: Split) {
  const branches = 'branches' in split ? split.branches : undefined;
  return branches === undefined
    ? findInTree(ctx, split).then((node) => toBranches(node?.branches))
    : toBranches(branches);
}

function toBranches({ matched = [], unmatched = [] }: Branches = {}) {
  return [
    { branch: 'matched' as const, steps: matched },
    { branch: 'unmatched' as const, steps: unmatched },
  ];
}

async function findInTree(ctx: GraphContext, { id, funnelId }: Split): Promise<StepNode | undefined> {
  return walk(await loadSteps(ctx, funnelId)).find((step) => step.id === id);
}

defineRemoval('ConditionalSplit', {
  node: ConditionalSplitStep,
  idField: 'splitId',
  removedField: 'removedSplitId',
  one: 'conditional split',
  choice: SplitBranchChoice,
  service: splits,
});

interface ConditionalSplitInput {
  readonly filterId?: string | null;
  readonly branches?: readonly { pageId?: string | null; pageIds?: readonly string[] | null }[] | null;
}

const BranchPagesInput = builder.inputType('BranchPagesInput', {
  description:
    'The new pages of a branch: the first page, or pages to add at the end. No step may show them yet.',
  fields: (t) => ({
    pageId: t.id({ description: 'The global id of the first page, which replaces the previous first page.' }),
    pageIds: t.idList({ description: 'The global ids of pages to add at the end.' }),
  }),
});

const splitFields = (t: InputBuilder) => ({
  filterId: t.id({
    description: 'The global id of the saved filter that decides the branch. Null for no filter.',
  }),
  branches: t.field({
    type: [BranchPagesInput],
    description: 'The pages of the two branches: first MATCHED, then UNMATCHED.',
  }),
});

const NAMES = { filter: 'filterId', branches: 'branches', page: 'pageId', pages: 'pageIds', place: 'place' };

function parseSplit({ filterId, branches }: ConditionalSplitInput): splits.SplitInput {
  const pageOf = (id: string, name: string) => parseGlobalId(Page, id, name);
  if ((branches?.length ?? 0) > 2) throw invalid('branches', tooManyItems(2));
  return {
    filterId: filterId == null ? filterId : parseGlobalId(nodeOf(refineFilter), filterId, 'filterId'),
    branches: branches?.map(({ pageId, pageIds }, index) => ({
      pageId: pageId == null ? undefined : pageOf(pageId, `branches[${index}].pageId`),
      pageIds: pageIds?.map((id) => pageOf(id, `branches[${index}].pageIds`)),
    })),
    names: NAMES,
  };
}

defineStructureChange<
  ConditionalSplitInput & { place?: PlaceInput | null; wrap?: 'matched' | 'unmatched' | null }
>('createConditionalSplit', {
  description: 'Creates a conditional split, by default at the entry of the funnel.',
  fields: (t) => ({
    ...splitFields(t),
    place: placeField(t, 'The place of the split.'),
    wrap: t.field({
      type: SplitBranch,
      description:
        'The branch that takes over the steps that would follow the split. Without it, they follow the split.',
    }),
  }),
  change: (ctx, funnel, { place, wrap, ...given }, options) =>
    splits.create(
      ctx,
      funnel,
      { ...parseSplit(given), place: parsePlace(place) ?? ENTRY, wrap: wrap ?? undefined },
      options,
    ),
});

defineStructureChange<ConditionalSplitInput & { splitId: string }>('updateConditionalSplit', {
  description: 'Changes the condition of a conditional split, or the pages on its branches.',
  fields: (t) => ({
    splitId: t.id({ required: true, description: 'The global id of the split.' }),
    ...splitFields(t),
  }),
  change: (ctx, funnel, { splitId, ...given }, options) =>
    splits.update(
      ctx,
      funnel,
      parseGlobalId(ConditionalSplitStep, splitId, 'splitId'),
      parseSplit(given),
      options,
    ),
});
