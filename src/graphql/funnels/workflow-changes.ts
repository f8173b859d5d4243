// Mutations that change the structure of a funnel: each returns the funnel after the change, and the step that was changed or is new. The
// mutations of splits are in their own files.
import type { FieldMap, InputFieldMap, ObjectRef } from '@pothos/core';
import { invalid, REQUIRED } from '../../errors.ts';
import { conditionalSplit, funnelStep, splitTest } from '../../resources/funnel-steps.ts';
import { funnel as funnelNoun } from '../../resources/funnels.ts';
import { page as pageNoun } from '../../resources/pages.ts';
import * as funnelSteps from '../../services/funnels/funnel-steps.ts';
import type { RemovalEffect, removalsOf } from '../../services/funnels/split-removals.ts';
import * as stepChanges from '../../services/funnels/step-changes.ts';
import { END } from '../../services/funnels/step-places.ts';
import type { BranchChoice } from '../../services/funnels/workflow.ts';
import {
  funnelOfStep,
  type StructureChanged,
  type StructureOptions,
} from '../../services/funnels/workflow-changes.ts';
import { rowOf, type Types } from '../builder.ts';
import { type GraphContext, loadBatched } from '../context.ts';
import { encodeGlobalId, parseGlobalId } from '../global-ids.ts';
import { defineMutation, type InputBuilder, ifMatchInput, type PayloadBuilder } from '../mutations.ts';
import type { NodeType } from '../nodes.ts';
import { nodeOf } from '../nouns.ts';
import type { IdFields } from '../user-errors.ts';
import { FunnelStep, PageStep, STEPS_OF_A_FUNNEL } from './funnel-steps.ts';
import { effectFields } from './split-previews.ts';
import {
  kindsIn,
  type PlaceInput,
  parsePlace,
  parseStepId,
  placeField,
  StepPlaceInput,
} from './step-places.ts';

const Funnel = nodeOf(funnelNoun);
const Page = nodeOf(pageNoun);

type Payload = PayloadBuilder<StructureChanged>;

/** The input fields with the id of what a mutation changes, or where it adds a step. */
const STEP_ID_FIELDS: IdFields = new Map([
  [Funnel.title, 'funnelId'],
  [funnelStep.title, 'stepId'],
  [conditionalSplit.title, 'conditionalSplitId'],
  [splitTest.title, 'splitTestId'],
]);

interface Definition<Given> {
  readonly description: string;
  readonly fields: (t: InputBuilder) => InputFieldMap;
  change(ctx: GraphContext, given: Given, options: StructureOptions): Promise<StructureChanged>;
  /** The fields that name what was changed or is new. */
  readonly changed: (t: Payload) => FieldMap;
}

/** Defines a mutation that changes the structure of a funnel. */
function defineStructureChange<Given>(
  name: string,
  { description, fields, change, changed }: Definition<Given>,
): void {
  defineMutation(name, {
    description: `${description} The change is made completely or not at all.`,
    scope: funnelSteps.writeScope,
    of: [],
    idFields: STEP_ID_FIELDS,
    inputs: fields,
    change(ctx, _ids, _input, options, given, { parentType, fieldName }) {
      const args = parentType.getFields()[fieldName]?.args ?? [];
      const kinds = args.flatMap(({ type }) => kindsIn(type, given));
      return change(ctx, given as Given, { ...options, kinds });
    },
    payload: (t) => ({ ...changed(t), funnel: funnelField(t) }),
  });
}

interface InFunnel<Given> extends Omit<Definition<Given>, 'change'> {
  change(
    ctx: GraphContext,
    funnel: bigint,
    given: Given,
    options: StructureOptions,
  ): Promise<StructureChanged>;
}

/** Defines a mutation that adds a step to a funnel, whose id is in its input. */
export function defineAddition<Given>(name: string, { fields, change, ...rest }: InFunnel<Given>): void {
  defineStructureChange<Given & { readonly funnelId: string }>(name, {
    ...rest,
    fields: (t) => ({
      funnelId: t.id({ required: true, description: 'The global id of the Funnel.' }),
      ...fields(t),
    }),
    change: (ctx, { funnelId, ...given }, options) =>
      change(ctx, parseGlobalId(Funnel, funnelId, 'funnelId'), given as Given, options),
  });
}

/** Finds the split in what a service shows of it: the precondition is that of its row. */
type SplitIn = (shown: object) => object;

/** The options with the precondition of the row of a split. */
function onSplit<Options extends Pick<StructureOptions, 'precondition'>>(
  options: Options,
  splitIn: SplitIn,
): Options {
  const { precondition } = options;
  return precondition === null
    ? options
    : { ...options, precondition: (shown: object) => precondition(splitIn(shown)) };
}

interface OfStep<Given> extends Omit<Definition<Given>, 'change'> {
  /** The input field with the id of the step, its description, and the integer id in it. */
  readonly idField: string;
  readonly idDescription: string;
  /** What the step is called in errors. Absent: a step. */
  readonly title?: string;
  parseId(id: string, field: string): bigint;
  /** Absent: the input has no precondition. */
  readonly splitIn?: SplitIn;
  change(
    ctx: GraphContext,
    at: { readonly funnel: bigint; readonly stepId: bigint },
    given: Given,
    options: StructureOptions,
  ): Promise<StructureChanged>;
}

/** Defines a mutation that changes one step, whose id is in its input. */
export function defineStepChange<Given>(
  name: string,
  { idField, idDescription, title, parseId, splitIn, fields, change, ...rest }: OfStep<Given>,
): void {
  defineStructureChange<Given & Readonly<Record<string, unknown>>>(name, {
    ...rest,
    fields: (t) => ({
      [idField]: t.id({ required: true, description: idDescription }),
      ...fields(t),
      ...(splitIn && ifMatchInput(t)),
    }),
    async change(ctx, given, options) {
      const stepId = parseId(String(given[idField]), idField);
      const funnel = await funnelOfStep(ctx, stepId, title);
      return change(ctx, { funnel, stepId }, given, splitIn ? onSplit(options, splitIn) : options);
    },
  });
}

/**
 * The field of a payload with the step that was changed or is new. The scope of the change is enough for its ids: payload-scopes.ts checks
 * the other fields before the change.
 */
export function changedStep<Ref extends ObjectRef<Types, object> | typeof FunnelStep>(
  t: Payload,
  type: Ref,
  description: string,
): FieldMap[string] {
  return t.field({
    type: type as typeof FunnelStep,
    nullable: true,
    scope: null,
    sameRows: true,
    description,
    resolve: ({ result: { funnelId, stepId } }, _args, ctx) =>
      rowOf<funnelSteps.StepNode>(
        changedTree(ctx, funnelId).then(
          (steps) => funnelSteps.walk(steps).find(({ id }) => id === stepId) ?? null,
        ),
      ),
  });
}

function changedTree(ctx: GraphContext, funnelId: bigint) {
  return loadBatched(ctx, 'funnel_steps.changed', funnelId, (ids) => funnelSteps.listChanged(ctx, ids));
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
  /** What the split is called in descriptions, and in errors. */
  readonly one: string;
  readonly title: string;
  /** The input field with the branch to discard. */
  readonly argument: 'branch' | 'arm';
  readonly choice: PothosSchemaTypes.EnumRef<Types, Choice>;
  readonly service: Pick<ReturnType<typeof removalsOf>, 'remove'>;
  readonly splitIn: SplitIn;
}

/** Defines the mutation that removes splits of a kind. */
export function defineRemoval<Choice extends BranchChoice>({
  node,
  one,
  title,
  argument,
  choice,
  service,
  splitIn,
}: RemovalDefinition<Choice>): void {
  defineMutation(`remove${node.name}`, {
    description: `Removes a ${one} and discards the pages of the named ${argument}, by default of both: they can no longer be read. The steps of the ${argument} that is kept replace the split, in the same order. The change is made completely or not at all.`,
    scope: funnelSteps.writeScope,
    of: [{ name: node.name, title }],
    inputs: (t) => ({
      [argument]: t.field({
        type: choice,
        required: true,
        defaultValue: 'both' as Choice,
        description: `The ${argument} to discard. The other one is kept; BOTH discards both.`,
      } as never),
      ...ifMatchInput(t),
    }),
    async change(ctx, [split = 0n], _input, options, given): Promise<RemovalEffect> {
      const funnel = await funnelOfStep(ctx, split, title);
      const removal = { funnel, split, branch: given[argument] as Choice };
      return service.remove(ctx, removal, onSplit(options, splitIn));
    },
    payload: (t) => ({
      funnel: funnelField(t),
      [`removed${node.name}Id`]: t.id({
        description: 'The global id of the removed split.',
        resolve: ({ result }) => encodeGlobalId(node.name, result.id),
      }),
      ...effectFields(t, ({ result }) => result),
    }),
  });
}

defineAddition<{ pageId: string; place?: PlaceInput | null }>('addPageStep', {
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
  changed: (t) => ({ pageStep: changedStep(t, PageStep.ref, 'The new step.') }),
});

const OF_ANY_STEP = {
  idField: 'stepId',
  idDescription: 'The global id of the step.',
  parseId: parseStepId,
  changed: (t: Payload) => ({ step: changedStep(t, FunnelStep, 'The step after the change.') }),
} as const;

defineStepChange<{ place: PlaceInput }>('moveStep', {
  ...OF_ANY_STEP,
  description: 'Moves a step to another place in its funnel. A split moves with all steps below it.',
  fields: (t) => ({
    place: t.field({
      type: StepPlaceInput,
      required: true,
      description:
        'The new place of the step, which must not be inside the step itself. A position does not count the step itself.',
    }),
  }),
  change: (ctx, at, { place }, options) =>
    stepChanges.move(ctx, { ...at, place: parsePlace(place) ?? END }, options),
});

defineStepChange<{ pageId: string }>('replaceStepPage', {
  idField: 'stepId',
  idDescription: 'The global id of the PageStep.',
  parseId: (id, field) => parseGlobalId(PageStep, id, field),
  changed: (t: Payload) => ({ pageStep: changedStep(t, PageStep.ref, 'The step after the change.') }),
  description:
    'Makes a step show another page, which no other step may show. The page that it showed becomes standalone.',
  fields: (t) => ({ pageId: t.id({ required: true, description: 'The global id of the page.' }) }),
  change: (ctx, at, { pageId }, options) =>
    stepChanges.replacePage(ctx, { ...at, pageId: parseGlobalId(Page, pageId, 'pageId') }, options),
});

defineStepChange<{ name: string }>('renameStep', {
  ...OF_ANY_STEP,
  description: 'Renames a step. Its page keeps its own name.',
  fields: (t) => ({
    name: t.string({ required: true, description: 'The name of the step. At most 255 characters.' }),
  }),
  change: (ctx, at, { name }, options) => stepChanges.rename(ctx, { ...at, name }, options),
});

defineStructureChange<{ stepIds: readonly string[] }>('reorderSteps', {
  description: 'Reorders the steps on a branch of a split, or on the top level of a funnel.',
  fields: (t) => ({
    stepIds: t.idList({
      required: true,
      description: 'The global ids of all steps of that branch or level, each once, in the new order.',
    }),
  }),
  async change(ctx, given, options) {
    const stepIds = given.stepIds.map((id) => parseStepId(id, 'stepIds'));
    const [first] = stepIds;
    if (first === undefined) throw invalid('stepIds', REQUIRED);
    return stepChanges.reorder(ctx, { funnel: await funnelOfStep(ctx, first), stepIds }, options);
  },
  changed: (t) => ({
    steps: t.field({
      type: [FunnelStep],
      nullable: true,
      scope: null,
      sameRows: true,
      rows: STEPS_OF_A_FUNNEL,
      description: 'The steps of that branch or level in their new order.',
      async resolve({ result: { funnelId, stepId } }, _args, ctx) {
        const tree = await changedTree(ctx, funnelId);
        const step = funnelSteps.walk(tree).find(({ id }) => id === stepId);
        return step === undefined ? [] : funnelSteps.siblingsOf(step, tree);
      },
    }),
  }),
});
