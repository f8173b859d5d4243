// Changes of single steps of a funnel's workflow: adding a page, moving a step or a complete split, renaming, and reordering siblings.
import type { Context } from '../../context.ts';
import { invalid } from '../../errors.ts';
import { NAME } from '../../resources/description/common-fields.ts';
import { parseFields } from '../input/parse-fields.ts';
import type { WriteOptions } from '../input/write-options.ts';
import type { Ref } from '../reading/refs.ts';
import { placePage, showOnStep } from './page-steps.ts';
import { placeNames, type StepPlace, spotOf } from './step-places.ts';
import type { SiblingList } from './workflow.ts';
import { changeStructure, requireStep, type StructureChanged } from './workflow-changes.ts';

interface Changed {
  readonly funnel: Ref;
}

/** Adds a step for a page that no step shows yet. @throws AppError as `changeStructure` and `placePage` */
export function addPage(
  ctx: Context,
  { funnel, pageId, place }: Changed & { pageId: bigint; place: StepPlace },
  options: WriteOptions,
): Promise<StructureChanged> {
  const names = { page: 'pageId', filter: 'savedFilterId', place: placeNames(place) };
  return changeStructure(
    ctx,
    {
      ...{ funnel, action: 'page_step_added', given: [pageId, place], names },
      edit: (workflow, tx) => placePage(workflow, tx, pageId, place, names),
    },
    options,
  );
}

/**
 * Moves a step, or a split with everything below it, to another place in its funnel. An index does not count the step itself.
 * @throws AppError as `changeStructure`; `invalid` for a place within the step itself
 */
export function move(
  ctx: Context,
  { funnel, stepId, place }: Changed & { stepId: bigint; place: StepPlace },
  options: WriteOptions,
): Promise<StructureChanged> {
  return changeStructure(
    ctx,
    {
      ...{ funnel, action: 'step_moved', given: [stepId, place], stepId },
      async edit(workflow) {
        const { outline } = workflow;
        const step = requireStep(workflow, stepId);
        const target = 'in' in place ? place.in.parentId : 'after' in place ? place.after : place.before;
        if (outline.inOrder([step]).some(({ id }) => id === target))
          throw invalid(placeNames(place).step, {
            code: 'not_allowed',
            message: 'must not be the step itself or below it',
          });
        const taken = outline.take(stepId);
        outline.put(taken, spotOf(outline, place));
        return stepId;
      },
    },
    options,
  );
}

/**
 * Makes a step show another page, which no step shows yet. The page that it showed becomes standalone.
 * @throws AppError as `changeStructure` and `showOnStep`
 */
export function replacePage(
  ctx: Context,
  { funnel, stepId, pageId }: Changed & { stepId: bigint; pageId: bigint },
  options: WriteOptions,
): Promise<StructureChanged> {
  const names = { page: 'pageId', filter: 'savedFilterId', step: 'stepId' };
  return changeStructure(
    ctx,
    {
      ...{ funnel, action: 'page_step_changed', given: [stepId, pageId], stepId, names },
      async edit(workflow, tx) {
        await showOnStep(workflow, tx, requireStep(workflow, stepId).id, pageId, names);
        return stepId;
      },
    },
    options,
  );
}

/** Gives a step another name. @throws AppError as `changeStructure`; `invalid` for the name */
export function rename(
  ctx: Context,
  { funnel, stepId, name }: Changed & { stepId: bigint; name: string },
  options: WriteOptions,
): Promise<StructureChanged> {
  const given = parseFields(
    { name: NAME },
    { members: { name }, nameOf: (property) => property },
    'creation',
  );
  return changeStructure(
    ctx,
    {
      ...{ funnel, action: 'step_renamed', given: [stepId, name], stepId },
      async edit(workflow) {
        workflow.outline.set(requireStep(workflow, stepId).id, given);
        return stepId;
      },
    },
    options,
  );
}

/**
 * Gives the steps of one list of siblings a new order. @param stepIds each of them once
 * @throws AppError as `changeStructure`; `invalid` for other steps
 */
export function reorder(
  ctx: Context,
  { funnel, stepIds }: Changed & { stepIds: readonly bigint[] },
  options: WriteOptions,
): Promise<StructureChanged> {
  const [stepId = 0n] = stepIds;
  return changeStructure(
    ctx,
    {
      ...{ funnel, action: 'steps_reordered', given: stepIds, stepId },
      async edit(workflow) {
        const { outline } = workflow;
        const list: SiblingList = requireStep(workflow, stepId);
        const { length } = outline.siblings(list);
        const isIn = ({ parentId, branch }: SiblingList) =>
          parentId === list.parentId && branch === list.branch;
        const steps = stepIds.flatMap((id) => outline.get(id) ?? []).filter(isIn);
        if (steps.length !== length || stepIds.length !== length || new Set(stepIds).size !== length)
          throw invalid('stepIds', {
            code: 'not_allowed',
            message: 'must have the ids of all steps of one branch, each once',
          });
        outline.append(steps, list);
        return stepId;
      },
    },
    options,
  );
}
