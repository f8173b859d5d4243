// Mutations that change the structure of a funnel: each returns the funnel after the change. The mutations of splits are in their own files.
import type { InputFieldMap } from '@pothos/core';
import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql';
import { invalid, mustBe, mustBeId } from '../../errors.ts';
import { funnel as funnelNoun } from '../../resources/funnels.ts';
import { page as pageNoun } from '../../resources/pages.ts';
import { type StepNode, walk } from '../../services/funnels/funnel-steps.ts';
import type { RemovalEffect, removalsOf } from '../../services/funnels/split-removals.ts';
import * as stepChanges from '../../services/funnels/step-changes.ts';
import {
  type BranchChoice,
  type BranchName,
  type SiblingList,
  TOP_LEVEL,
} from '../../services/funnels/workflow.ts';
import {
  END,
  type StepPlace,
  type StructureChanged,
  type StructureOptions,
  writeScope,
} from '../../services/funnels/workflow-changes.ts';
import { isObject } from '../../services/input/parse-fields.ts';
import { builder, type Types } from '../builder.ts';
import { defineEnum } from '../closed-sets.ts';
import type { GraphContext } from '../context.ts';
import { decodeGlobalId, encodeGlobalId, parseGlobalId } from '../global-ids.ts';
import { defineMutation, type InputBuilder, type PayloadBuilder } from '../mutations.ts';
import type { NodeType } from '../nodes.ts';
import { nodeOf } from '../nouns.ts';
import { FunnelStep, loadSteps, STEP_TYPES, STEPS_OF_A_FUNNEL } from './funnel-steps.ts';
import { completePages } from './pages.ts';

const Funnel = nodeOf(funnelNoun);
const Page = nodeOf(pageNoun);

type StepKind = StepNode['kind'];
const STEP_KINDS = Object.keys(STEP_TYPES) as StepKind[];

const StepBranch = defineEnum('StepBranch', 'A branch of a conditional split, or of a split test.', {
  matched: 'The branch of a conditional split for visitors who match the saved filter.',
  unmatched: 'The branch of a conditional split for all other visitors.',
  left: 'The first variant of a split test.',
  right: 'The second variant of a split test.',
});

/** A branch in an input. */
interface BranchInput {
  readonly splitId?: string | null;
  readonly branch?: BranchName | null;
}

export interface PlaceInput extends BranchInput {
  readonly afterStepId?: string | null;
  readonly beforeStepId?: string | null;
  readonly position?: number | null;
}

const branchFields = (t: InputBuilder) => ({
  splitId: t.id({
    description: 'The global id of the split with the branch. Without it, the top level of the funnel.',
  }),
  branch: t.field({ type: StepBranch, description: 'The branch of that split.' }),
});

const StepPlaceInput = builder.inputType('StepPlaceInput', {
  description:
    'A place in a workflow: after or before a step, or on a branch of a split or the top level, by default at the end.',
  fields: (t) => ({
    afterStepId: t.id({ description: 'The global id of the preceding step.' }),
    beforeStepId: t.id({ description: 'The global id of the following step.' }),
    ...branchFields(t),
    position: t.int({ description: 'The number of steps that precede the place on its branch or level.' }),
  }),
});

export const placeField = (t: InputBuilder, description: string) =>
  t.field({ type: StepPlaceInput, description });

/** The steps whose global ids an input contains: their integer ids, and the kinds that the global ids state. */
function kindsIn(type: GraphQLInputType, given: unknown): [bigint, StepKind][] {
  const named = getNamedType(type);
  return [given].flat().flatMap((value): [bigint, StepKind][] => {
    if (isInputObjectType(named) && isObject(value))
      return Object.values(named.getFields()).flatMap((field) => kindsIn(field.type, value[field.name]));
    if (named.name !== 'ID' || typeof value !== 'string') return [];
    const { typeName, id } = decodeGlobalId(value) ?? {};
    const kind = STEP_KINDS.find((one) => STEP_TYPES[one] === typeName);
    return kind === undefined || id === undefined ? [] : [[id, kind]];
  });
}

/** The integer id of a step of any kind. @throws AppError `invalid` */
function parseStepId(id: string, field: string): bigint {
  const decoded = decodeGlobalId(id);
  const types: readonly string[] = Object.values(STEP_TYPES);
  if (decoded === null || !types.includes(decoded.typeName))
    throw invalid(field, mustBeId('the id of a step'));
  return decoded.id;
}

/** @param prefix the start of the fields' names in errors @throws AppError `invalid` */
function parseBranch({ splitId, branch }: BranchInput, prefix = ''): SiblingList {
  if (splitId == null && branch == null) return TOP_LEVEL;
  const missing = splitId == null ? 'splitId' : 'branch';
  if (splitId == null || branch == null)
    throw invalid(`${prefix}${missing}`, {
      code: 'required',
      message: `Give ${prefix}splitId and branch together.`,
    });
  return { parentId: parseStepId(splitId, `${prefix}splitId`), branch };
}

/** The place in an input; null without one. @throws AppError `invalid` */
export function parsePlace(given: PlaceInput | null | undefined): StepPlace | null {
  if (given == null) return null;
  const { afterStepId, beforeStepId, position, ...of } = given;
  const ways = [afterStepId, beforeStepId, of.splitId ?? of.branch ?? position];
  if (ways.filter((way) => way != null).length > 1)
    throw invalid('place', mustBe('after a step, before a step, or on a branch'));
  if (afterStepId != null) return { after: parseStepId(afterStepId, 'place.afterStepId') };
  if (beforeStepId != null) return { before: parseStepId(beforeStepId, 'place.beforeStepId') };
  return { in: parseBranch(of, 'place.'), ...(position != null && { index: position }) };
}

interface Definition<Given> {
  readonly description: string;
  readonly fields: (t: InputBuilder) => InputFieldMap;
  change(
    ctx: GraphContext,
    funnel: bigint,
    given: Given,
    options: StructureOptions,
  ): Promise<StructureChanged>;
}

/** Defines a mutation that changes the structure of a funnel. */
export function defineStructureChange<Given>(
  name: string,
  { description, fields, change }: Definition<Given>,
): void {
  defineMutation(name, {
    description: `${description} The change is made completely or not at all.`,
    scope: writeScope,
    of: [Funnel],
    inputs: fields,
    change(ctx, [funnel = 0n], _input, options, given, { parentType, fieldName }) {
      const args = parentType.getFields()[fieldName]?.args ?? [];
      const kinds = args.flatMap(({ type }) => kindsIn(type, given));
      return change(ctx, funnel, given as Given, { ...options, kinds });
    },
    payload: (t) => ({
      funnel: funnelField(t),
      step: t.field({
        type: FunnelStep,
        nullable: true,
        scope: Funnel.scope,
        description: 'The new or changed step. Null if it was removed since.',
        resolve: async ({ result: { funnelId, stepId } }, _args, ctx) =>
          walk(await loadSteps(ctx, funnelId)).find(({ id }) => id === stepId) ?? null,
      }),
    }),
  });
}

function funnelField<Result extends { readonly funnelId: bigint }>(t: PayloadBuilder<Result>) {
  return t.field({
    type: Funnel.ref,
    nullable: true,
    description: 'The funnel after the change.',
    scope: Funnel.scope,
    resolve: ({ result }, _args, ctx) => Funnel.load(ctx, result.funnelId),
  });
}

interface RemovalDefinition<Choice extends BranchChoice> {
  readonly node: Pick<NodeType<never>, 'name'>;
  /** The input and the payload's field with the id of the split. */
  readonly idField: string;
  readonly removedField: string;
  readonly one: string;
  readonly choice: PothosSchemaTypes.EnumRef<Types, Choice>;
  readonly service: Pick<ReturnType<typeof removalsOf>, 'preview' | 'remove'>;
}

/** Defines the mutation that removes splits of a kind. @param name without `remove` */
export function defineRemoval<Choice extends BranchChoice>(
  name: string,
  { node, idField, removedField, one, choice, service }: RemovalDefinition<Choice>,
): void {
  defineMutation(`remove${name}`, {
    description: `Removes a ${one} from a funnel, together with one or both of its branches. The steps of the branch that is kept replace the split, in the same order. The pages of a discarded branch can no longer be read. The change is made completely or not at all.`,
    scope: writeScope,
    of: [Funnel, { name: node.name, idField }],
    inputs: (t) => ({
      branch: t.field({
        type: choice,
        required: true,
        defaultValue: 'both' as Choice,
        description: 'The branch to discard. The other branch is kept; BOTH discards both.',
      } as never),
      dryRun: t.boolean({
        required: true,
        defaultValue: false,
        description: 'If true, nothing changes: the answer is a preview of the removal.',
      }),
    }),
    async change(ctx, [funnel = 0n, split = 0n], _input, options, given): Promise<RemovalEffect> {
      const wanted = { funnel, split, branch: given['branch'] as Choice };
      return given['dryRun'] === true
        ? service.preview(ctx, wanted, options)
        : service.remove(ctx, wanted, options);
    },
    payload: (t) => ({
      funnel: funnelField(t),
      [removedField]: t.id({
        description: 'The global id of the removed split.',
        resolve: ({ result }) => encodeGlobalId(node.name, result.id),
      }),
      promotedPages: t.field({
        type: [Page.ref],
        scope: null,
        rows: STEPS_OF_A_FUNNEL,
        description: 'The pages of the branch that was kept, in the order of the workflow.',
        resolve: ({ result }, _args, ctx, info) => completePages(ctx, result.promotedPages, info),
      }),
      discardedPages: t.field({
        type: [Page.ref],
        scope: null,
        rows: STEPS_OF_A_FUNNEL,
        description:
          'The discarded pages, in the order of the workflow. They cannot be read anywhere else afterwards.',
        resolve: ({ result }, _args, ctx, info) => completePages(ctx, result.discardedPages, info),
      }),
    }),
  });
}

defineStructureChange<{ pageId: string; place?: PlaceInput | null }>('addPageStep', {
  description:
    'Adds a step that shows a page, by default at the end of the workflow. No other step may show the page.',
  fields: (t) => ({
    pageId: t.id({ required: true, description: 'The global id of the page.' }),
    place: placeField(t, 'The place of the step.'),
  }),
  change: (ctx, funnel, { pageId, place }, options) =>
    stepChanges.addPage(
      ctx,
      { funnel, pageId: parseGlobalId(Page, pageId, 'pageId'), place: parsePlace(place) ?? END },
      options,
    ),
});

const stepId = (t: InputBuilder) => t.id({ required: true, description: 'The global id of the step.' });

defineStructureChange<{ stepId: string; place: PlaceInput }>('moveStep', {
  description: 'Moves a step to another place in its funnel. A split moves with all steps below it.',
  fields: (t) => ({
    stepId: stepId(t),
    place: t.field({
      type: StepPlaceInput,
      required: true,
      description:
        'The new place of the step, which must not be inside the step itself. A position does not count the step itself.',
    }),
  }),
  change: (ctx, funnel, { stepId, place }, options) =>
    stepChanges.move(
      ctx,
      { funnel, stepId: parseStepId(stepId, 'stepId'), place: parsePlace(place) ?? END },
      options,
    ),
});

defineStructureChange<{ stepId: string; name: string }>('renameStep', {
  description: 'Renames a step. Its page keeps its own name.',
  fields: (t) => ({
    stepId: stepId(t),
    name: t.string({ required: true, description: 'The name of the step. At most 255 characters.' }),
  }),
  change: (ctx, funnel, { stepId, name }, options) =>
    stepChanges.rename(ctx, { funnel, stepId: parseStepId(stepId, 'stepId'), name }, options),
});

defineStructureChange<BranchInput & { stepIds: readonly string[] }>('reorderSteps', {
  description: 'Reorders the steps on a branch of a split, or on the top level of a funnel.',
  fields: (t) => ({
    ...branchFields(t),
    stepIds: t.idList({
      required: true,
      description: 'The global ids of all steps of that branch or level, each once, in the new order.',
    }),
  }),
  change: (ctx, funnel, { stepIds, ...of }, options) =>
    stepChanges.reorder(
      ctx,
      { funnel, list: parseBranch(of), stepIds: stepIds.map((id) => parseStepId(id, 'stepIds')) },
      options,
    ),
});
