// The demo's workflow trees: the nested data laid out as steps and pages.

import type { BranchName } from '../reading/funnel-steps.ts';
import { toPath } from '../sql/paths.ts';
import type { FunnelData, StepData } from './data/shape.ts';
import { type Demo, type NewRow, newRows } from './demo.ts';
import { type Named, requireNamed } from './named.ts';

/** A funnel that is in the store, and the data that its steps are made from. */
type InsertedFunnel = NewRow<FunnelData>;

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

/** A step of one of several funnels; `parent` counts through all of them. */
interface StepOfFunnel extends FlatStep {
  readonly funnel: InsertedFunnel;
}

/** Inserts pages and steps of all the funnels; returns the pages' ids by "Funnel / Page". */
export async function insertWorkflows(
  demo: Demo,
  workspaceId: bigint,
  funnels: readonly InsertedFunnel[],
  filterIds: Named,
): Promise<Named> {
  const steps: StepOfFunnel[] = [];
  for (const funnel of funnels) {
    const before = steps.length;
    for (const { parent, ...step } of flatten(funnel.data))
      steps.push({ ...step, funnel, parent: parent === null ? null : parent + before });
  }
  const pageIds = await insertPages(demo, workspaceId, steps);
  const rows = await newRows(demo, 'funnel_steps', workspaceId, steps, madeWithFunnel);
  await demo.tx.funnelStep.createMany({
    data: rows.map(({ columns, data: { funnel, step, parent, branch, position } }) => ({
      ...{ ...columns, funnelId: funnel.id, branch, position, ...kindOf(step) },
      parentId: parent === null ? null : (rows[parent]?.id ?? null),
      pageId: typeof step === 'string' ? requireNamed(pageIds, 'page', pageKey(funnel, step)) : null,
      filterId: filterOf(step, filterIds),
    })),
  });
  return pageIds;
}

async function insertPages(demo: Demo, workspaceId: bigint, steps: readonly StepOfFunnel[]): Promise<Named> {
  const pages = steps.flatMap(({ funnel, step }) =>
    typeof step === 'string' ? [{ funnel, name: step }] : [],
  );
  const rows = await newRows(demo, 'pages', workspaceId, pages, madeWithFunnel);
  await demo.tx.page.createMany({
    data: rows.map(({ columns, data: { funnel, name } }) => ({
      ...{ ...columns, name, isShown: true },
      currentPath: `${funnel.data.path}/${toPath(name, 'page')}`,
    })),
  });
  return new Map(rows.map(({ id, data: { funnel, name } }) => [pageKey(funnel, name), id]));
}

const madeWithFunnel = (_: number, { funnel }: { readonly funnel: InsertedFunnel }) =>
  funnel.columns.createdAt;

function pageKey(funnel: InsertedFunnel, page: string): string {
  return `${funnel.data.name} / ${page}`;
}

function filterOf(step: StepData, filterIds: Named): bigint | null {
  const filter = filterNameOf(step);
  return filter === null ? null : requireNamed(filterIds, 'saved filter', filter);
}
