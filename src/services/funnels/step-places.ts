// Where a step is put in a workflow, and what clients call the members of a place.
import { invalid, outOfRange } from '../../errors.ts';
import { BRANCHES } from '../../resources/funnel-steps.ts';
import type { WorkflowStep } from '../../store/changing/funnel-steps.ts';
import type { BranchName } from '../../store/reading/funnel-steps.ts';
import { type Outline, type SiblingList, type Spot, TOP_LEVEL } from './workflow.ts';

/** The place of a step: after or before another one, or in a list of siblings. @param index absent: at the end */
export type StepPlace =
  | { readonly after: bigint }
  | { readonly before: bigint }
  | { readonly in: SiblingList; readonly index?: number };

/** The first and the last place on the top level. */
export const ENTRY: StepPlace = { in: TOP_LEVEL, index: 0 };
export const END: StepPlace = { in: TOP_LEVEL };

/** The client's names for the members of a place: the step beside it or the split above it, the branch, and the position there. */
export interface PlaceNames {
  readonly step: string;
  readonly branch: string;
  readonly position: string;
}

/** The names for a client that has one name for the whole place. */
export const onePlaceName = (name: string): PlaceNames => ({ step: name, branch: name, position: name });

/** The names in the inputs for places: `place.after`, `place.onBranch.position`. @param topLevel the member for the top level */
export function placeNames(place: StepPlace, topLevel = 'onTopLevel'): PlaceNames {
  if ('after' in place) return onePlaceName('place.after');
  if ('before' in place) return onePlaceName('place.before');
  const list = `place.${place.in.parentId === null ? topLevel : 'onBranch'}`;
  return { step: `${list}.splitId`, branch: `${list}.branch`, position: `${list}.position` };
}

/** Converts a place to a spot. @throws AppError `invalid` blaming the member of the place that is wrong */
export function spotOf(
  outline: Outline<WorkflowStep>,
  place: StepPlace,
  names: PlaceNames = placeNames(place),
): Spot {
  if (!('in' in place)) {
    const id = 'after' in place ? place.after : place.before;
    if (outline.get(id) === undefined)
      throw invalid(names.step, { code: 'not_found', message: 'must be a step of the funnel' });
    const spot = outline.spotOf(id);
    return 'after' in place ? { ...spot, index: spot.index + 1 } : spot;
  }
  const { parentId, branch } = place.in;
  const parent = parentId === null ? null : outline.get(parentId);
  const branches: readonly BranchName[] = parent ? BRANCHES[parent.kind] : [];
  if (parent !== null && (branch === null || !branches.includes(branch)))
    throw invalid(parent === undefined ? names.step : names.branch, {
      code: 'not_found',
      message: 'must be a split of the funnel that has this branch',
    });
  const { length } = outline.siblings(place.in);
  const { index = length } = place;
  if (index < 0 || index > length) throw invalid(names.position, outOfRange(`from 0 to ${length}`));
  return { parentId, branch, index };
}
