// Places in a workflow as clients name them, and the ids of steps in inputs.
import { type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql';
import { invalid, mustBeId } from '../../errors.ts';
import type { StepNode } from '../../services/funnels/funnel-steps.ts';
import type { StepPlace } from '../../services/funnels/step-places.ts';
import { type BranchName, TOP_LEVEL } from '../../services/funnels/workflow.ts';
import { isObject } from '../../services/input/parse-fields.ts';
import { builder } from '../builder.ts';
import { decodeGlobalId } from '../global-ids.ts';
import type { InputBuilder } from '../mutations.ts';
import { STEP_TYPES, StepBranch } from './funnel-steps.ts';

type StepKind = StepNode['kind'];
const STEP_KINDS = Object.keys(STEP_TYPES) as StepKind[];

/** A place in an input: exactly one of its members. */
export interface PlaceInput {
  readonly after?: string | null;
  readonly before?: string | null;
  readonly onBranch?: BranchPlace | null;
  readonly onTopLevel?: { readonly position?: number | null } | null;
}

export const positionField = (t: InputBuilder) =>
  t.int({ description: 'The number of steps before the place. By default the place is at the end.' });

export const BranchPlaceInput = builder.inputType('BranchPlaceInput', {
  description: 'A place on a branch of a split.',
  fields: (t) => ({
    splitId: t.id({ required: true, description: 'The global id of the conditional split or split test.' }),
    branch: t.field({ type: StepBranch, required: true, description: 'The branch of that split.' }),
    position: positionField(t),
  }),
});

const TopLevelPlaceInput = builder.inputType('TopLevelPlaceInput', {
  description: 'A place on the top level of a workflow.',
  fields: (t) => ({ position: positionField(t) }),
});

export const StepPlaceInput = builder.inputType('StepPlaceInput', {
  description: 'A place in a workflow.',
  isOneOf: true,
  fields: (t) => ({
    after: t.id({ description: 'The global id of a step: the place directly after it, on the same branch.' }),
    before: t.id({
      description: 'The global id of a step: the place directly before it, on the same branch.',
    }),
    onBranch: t.field({ type: BranchPlaceInput, description: 'A place on a branch of a split.' }),
    onTopLevel: t.field({ type: TopLevelPlaceInput, description: 'A place on the top level.' }),
  }),
});

interface BranchPlace {
  readonly splitId: string;
  readonly branch: BranchName;
  readonly position?: number | null;
}

/** A place on a branch. @param name its name in the input @throws AppError `invalid` */
export function parseBranchPlace({ splitId, branch, position }: BranchPlace, name: string) {
  const parentId = parseStepId(splitId, `${name}.splitId`);
  return { parentId, place: { in: { parentId, branch }, ...atIndex(position) } satisfies StepPlace };
}

export const placeField = (t: InputBuilder, description: string) =>
  t.field({ type: StepPlaceInput, description });

/** The steps whose global ids an input contains: their integer ids, and the kinds that the global ids state. */
export function kindsIn(type: GraphQLInputType, given: unknown): [bigint, StepKind][] {
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
export function parseStepId(id: string, field: string): bigint {
  const decoded = decodeGlobalId(id);
  const types: readonly string[] = Object.values(STEP_TYPES);
  if (decoded === null || !types.includes(decoded.typeName))
    throw invalid(field, mustBeId('the id of a step'));
  return decoded.id;
}

/** The place in an input; null without one. @throws AppError `invalid` */
export function parsePlace(given: PlaceInput | null | undefined): StepPlace | null {
  const { after, before, onBranch, onTopLevel } = given ?? {};
  if (after != null) return { after: parseStepId(after, 'place.after') };
  if (before != null) return { before: parseStepId(before, 'place.before') };
  if (onBranch != null) {
    return parseBranchPlace(onBranch, 'place.onBranch').place;
  }
  return onTopLevel == null ? null : { in: TOP_LEVEL, ...atIndex(onTopLevel.position) };
}

export const atIndex = (index: number | null | undefined) => (index == null ? {} : { index });
