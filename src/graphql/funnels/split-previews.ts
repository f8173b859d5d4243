// What the removal of a split would do to its pages: the field `removalPreview` of both kinds of split, and the same fields of the payloads.
import type { FieldMap } from '@pothos/core';
import { page as pageNoun } from '../../resources/pages.ts';
import { scope } from '../../services/funnels/funnel-steps.ts';
import type { Removal, RemovalEffect, removalsOf } from '../../services/funnels/split-removals.ts';
import type { BranchChoice } from '../../services/funnels/workflow.ts';
import { builder, type Types } from '../builder.ts';
import { loadBatched } from '../context.ts';
import { nodeOf } from '../nouns.ts';
import { STEPS_OF_A_FUNNEL, type Step } from './funnel-steps.ts';
import { completePages } from './pages.ts';

const Page = nodeOf(pageNoun);

/** The cost of the previews of a workflow, in rows: it is read again, once for all of them. */
const PREVIEW_COST = STEPS_OF_A_FUNNEL;

/** For the cost analysis: the assumed number of pages on a branch, half of those of a workflow. */
const PAGES_OF_A_BRANCH = STEPS_OF_A_FUNNEL / 2;

type Effect = Pick<RemovalEffect, 'promotedPages' | 'discardedPages'>;

/** The pages on the branches of a removed split, as fields. @param effectOf what the removal does to them */
export function effectFields<Parent>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, Parent>,
  effectOf: (parent: Parent) => Effect,
): FieldMap {
  const pagesField = (name: keyof Effect, description: string) =>
    t.field({
      type: [Page.ref],
      scope: null,
      rows: PAGES_OF_A_BRANCH,
      description,
      resolve: (parent, _args, ctx, info) => completePages(ctx, effectOf(parent)[name], info),
    });
  return {
    promotedPages: pagesField(
      'promotedPages',
      'The pages of the branch that is kept, in the order of the workflow.',
    ),
    discardedPages: pagesField(
      'discardedPages',
      'The discarded pages, in the order of the workflow. After the removal they cannot be read anywhere else.',
    ),
  };
}

const SplitRemovalPreview = builder.objectRef<Effect>('SplitRemovalPreview').implement({
  description: 'What the removal of a split would do to the pages on its branches.',
  fields: (t) => effectFields(t, (effect) => effect),
});

interface PreviewDefinition<Choice extends BranchChoice> {
  /** The argument with the branch to discard. */
  readonly argument: 'branch' | 'arm';
  readonly choice: PothosSchemaTypes.EnumRef<Types, Choice>;
  readonly service: Pick<ReturnType<typeof removalsOf>, 'previewMany'>;
}

/** The field of a kind of split that shows what its removal would do. All previews of a request are read by one statement. */
export function removalPreview<Split extends Pick<Step, 'id' | 'funnelId'>, Choice extends BranchChoice>(
  t: PothosSchemaTypes.ObjectFieldBuilder<Types, Split>,
  { argument, choice, service }: PreviewDefinition<Choice>,
): FieldMap[string] {
  const discarded = t.arg({
    type: choice,
    required: true,
    defaultValue: 'both' as Choice,
    description: `The ${argument} to discard. The other one is kept; BOTH discards both.`,
  } as never);
  return (t as PothosSchemaTypes.ObjectFieldBuilder<Types, Pick<Step, 'id' | 'funnelId'>>).field({
    type: SplitRemovalPreview,
    nullable: true,
    scope,
    cost: PREVIEW_COST,
    isShared: true,
    columns: ['id', 'funnelId'],
    description: 'What the removal of the split would do now. Nothing is changed.',
    args: { [argument]: discarded },
    resolve: ({ id, funnelId }, args, ctx) =>
      loadBatched(
        ctx,
        `${argument}.removal_preview`,
        `${funnelId} ${id} ${(args as Readonly<Record<string, unknown>>)[argument]}`,
        async (keys) => {
          const { effects, workflows } = await service.previewMany(ctx, keys.map(parseKey));
          const further = workflows.reduce((sum, steps) => sum + Math.max(0, steps - PREVIEW_COST), 0);
          ctx.state.longLists.add(ctx, further);
          return effects;
        },
      ),
  });
}

/** Parses the key of a loader. */
function parseKey(key: string): Removal {
  const [funnelId = '', splitId = '', branch = ''] = key.split(' ');
  return { funnelId: BigInt(funnelId), splitId: BigInt(splitId), branch: branch as BranchChoice };
}
