// The demo's workflow trees: the nested data laid out as steps and pages.
import { drawIds } from '../changing/ids.ts';
import type { BranchName } from '../reading/funnel-steps.ts';
import { toPath } from '../sql/paths.ts';
import type { FunnelData, StepData } from './data/shape.ts';
import { type Filling, type Inserted, zip } from './demo.ts';

/** A step of the nested data, with its position among its siblings: `parent` is the index of an earlier one. */
export interface FlatStep {
  readonly step: StepData;
  readonly parent: number | null;
  readonly branch: BranchName | null;
  readonly position: number;
}

/** A funnel's steps in the order in which they get their ids: each before those below it. */
export function flatten({ steps }: FunnelData): FlatStep[] {
  const flat: FlatStep[] = [];
  const add = (siblings: readonly StepData[], parent: number | null, branch: BranchName | null) => {
    siblings.forEach((step, position) => {
      const index = flat.push({ step, parent, branch, position }) - 1;
      for (const [name, below] of branchesOf(step)) add(below, index, name);
    });
  };
  add(steps, null, null);
  return flat;
}

/** The branches of a step, in the order in which their steps get their ids. */
function branchesOf(step: StepData): [BranchName, readonly StepData[]][] {
  if (typeof step === 'string') return [];
  return 'test' in step
    ? [
        ['left', step.left],
        ['right', step.right],
      ]
    : [
        ['matched', step.matched],
        ['unmatched', step.unmatched],
      ];
}

/** What a step is, besides its place, its page and its filter. */
export function kindOf(step: StepData) {
  if (typeof step === 'string') return { kind: 'page', name: step, leftWeight: null } as const;
  return 'test' in step
    ? ({ kind: 'split_test', name: step.test, leftWeight: step.leftWeight } as const)
    : ({ kind: 'conditional_split', name: step.split, leftWeight: null } as const);
}

/** The name of the saved filter that decides a split; null where none does. */
export function filterNameOf(step: StepData): string | null {
  return typeof step === 'string' || 'test' in step ? null : step.filter;
}

/** Inserts the pages and steps of a funnel. */
export async function insertWorkflow(
  { tx, insert, idOf }: Filling,
  { id: funnelId, createdAt, data: funnel }: Inserted<FunnelData>,
): Promise<void> {
  const steps = flatten(funnel);
  const pages = steps.flatMap(({ step }) => (typeof step === 'string' ? [step] : []));
  await insert('Page', pages, (name) => ({
    ...{ name, isShown: true, createdAt },
    currentPath: `${funnel.path}/${toPath(name, 'page')}`,
  }));
  // Steps refer to each other.
  const ids = await drawIds(tx, 'funnel_steps', steps.length);
  await insert('FunnelStep', zip(ids, steps), ([id, { step, parent, branch, position }]) => {
    const filter = filterNameOf(step);
    return {
      ...{ id, funnelId, branch, position, createdAt, ...kindOf(step) },
      parentId: parent === null ? null : (ids[parent] ?? null),
      pageId: typeof step === 'string' ? idOf('Page', step) : null,
      filterId: filter === null ? null : idOf('RefineFilter', filter),
    };
  });
}
