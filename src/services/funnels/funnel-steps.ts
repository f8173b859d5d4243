// A funnel's main workflow: the ordered tree of its steps.
import { requireScope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { BRANCHES } from '../../resources/funnel-steps.ts';
import { type FunnelRow, funnel } from '../../resources/funnels.ts';
import { joinedColumnName } from '../../rows/columns.ts';
import {
  type BranchName,
  findSteps,
  findStepsAround,
  groupSiblings,
  type Siblings,
  type StepRow,
} from '../../store/reading/funnel-steps.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';
import { funnelTable } from '../../store/tables/funnels.ts';
import { tableOf } from '../../store/tables/tables.ts';
import { type Projection, requireRow } from '../reading/reads.ts';
import type { Ref } from '../reading/refs.ts';

const FUNNELS = tableOf(funnelTable);

/** The scopes for reading and for changing workflows. */
export const scope = scopeFor(funnel, 'read');
export const writeScope = scopeFor(funnel, 'write');

/** A step; a split has its branches' steps below it. */
export interface StepNode extends StepRow {
  /** The split whose branch has the step; absent on the top level. */
  readonly parent?: StepNode | undefined;
  readonly branches?: Branches | undefined;
}

/** The steps of each branch that the split has. */
type Branches = Readonly<Partial<Record<BranchName, readonly StepNode[]>>>;

/** A funnel with its top-level steps. */
export interface Structure {
  readonly funnel: FunnelRow;
  readonly steps: readonly StepNode[];
}

/** The structure of a funnel. @throws AppError `not_found` for the funnel */
export async function getStructure(
  ctx: Context,
  ref: Ref,
  { tenancy } = requireScope(ctx, scope),
): Promise<Structure> {
  const row = await requireRow(ctx, FUNNELS, tenancy, ref);
  const [steps = []] = await treesOf(ctx, tenancy, [row.id]);
  return { funnel: row, steps };
}

/**
 * The top-level steps of each funnel, in the order of the funnels and by one statement; empty for a funnel that the caller does not own.
 * @param projection the properties of steps to read; null is all of them
 */
export async function listMany(
  ctx: Context,
  funnelIds: readonly bigint[],
  projection: Projection = null,
): Promise<(readonly StepNode[])[]> {
  const { tenancy } = requireScope(ctx, scope);
  return treesOf(ctx, tenancy, funnelIds, projection);
}

/** As `listMany`, for the answer to a change: the scope of the change is enough. The caller checks the scope of what it shows. */
export async function listChanged(
  ctx: Context,
  funnelIds: readonly bigint[],
): Promise<(readonly StepNode[])[]> {
  const { tenancy } = requireScope(ctx, writeScope);
  return treesOf(ctx, tenancy, funnelIds);
}

/** As `listMany`, without the check of the scope: the caller has made it. */
export async function treesOf(
  ctx: Context,
  tenancy: Tenancy,
  funnelIds: readonly bigint[],
  projection: Projection = null,
): Promise<(readonly StepNode[])[]> {
  const trees = growTrees(await findSteps(ctx, tenancy, funnelIds, projection));
  const ofFunnel = new Map(trees.map((steps) => [steps[0]?.funnelId, steps]));
  return funnelIds.map((id) => ofFunnel.get(id) ?? NONE);
}

/** The top-level steps of a funnel that was read together with its steps; undefined if it was read alone. */
export function stepsReadWith(funnel: FunnelRow): readonly StepNode[] | undefined {
  const { [joinedColumnName('steps')]: steps } = funnel as FunnelRow &
    Readonly<Record<string, readonly StepRow[]>>;
  return steps && (growTrees(groupSiblings(steps))[0] ?? NONE);
}

/** Steps with the steps below them, in the order of the ids and by one statement; null for a step that the caller does not own. */
export async function getMany(ctx: Context, stepIds: readonly bigint[]): Promise<(StepNode | null)[]> {
  const { tenancy } = requireScope(ctx, scope);
  const groups = await findStepsAround(ctx, tenancy, stepIds);
  growTrees(groups);
  const byId = new Map(groups.flat().map((step) => [step.id, step]));
  return stepIds.map((id) => byId.get(id) ?? null);
}

/** A `getMany` for steps of one kind. */
export function stepsOfKind(kind: StepNode['kind']) {
  return async (ctx: Context, ids: readonly bigint[]) =>
    (await getMany(ctx, ids)).map((step) => (step?.kind === kind ? step : null));
}

const NONE: readonly never[] = [];

/**
 * Attaches steps to the splits that they belong to: the rows themselves become nodes.
 * @returns the top-level steps of each funnel that has steps
 */
function growTrees(groups: readonly Siblings[]): (readonly StepNode[])[] {
  const splits = new Map<
    bigint,
    StepNode & { readonly branches: { -readonly [Name in keyof Branches]: Branches[Name] } }
  >();
  for (const siblings of groups) {
    for (const step of siblings) {
      if (step.kind === 'page') continue;
      const [first, second] = BRANCHES[step.kind];
      splits.set(step.id, Object.assign(step, { branches: { [first]: NONE, [second]: NONE } }));
    }
  }
  const trees: Siblings[] = [];
  for (const siblings of groups) {
    const [first] = siblings;
    if (first === undefined) continue;
    if (first.parentId === null) trees.push(siblings);
    else {
      const parent = splits.get(first.parentId);
      if (parent === undefined || first.branch === null) continue;
      parent.branches[first.branch] = siblings;
      for (const step of siblings) Object.assign(step, { parent });
    }
  }
  return trees;
}

/** The steps of each branch of a split, in the order of display; none for a page. */
export function branchesOf({ kind, branches = {} }: StepNode): (readonly StepNode[])[] {
  return BRANCHES[kind].map((branch) => branches[branch] ?? NONE);
}

/** The steps on the same branch or level as a step, in order. @param tree the steps of the top level */
export function siblingsOf({ parent, branch }: StepNode, tree: readonly StepNode[]): readonly StepNode[] {
  return parent === undefined || branch === null ? tree : (parent.branches?.[branch] ?? NONE);
}

/** Every step of a tree as a list, each before its subtree. */
export function inOrder(steps: readonly StepNode[]): readonly StepNode[] {
  return steps.every(({ branches }) => branches === undefined) ? steps : [...walk(steps)];
}

/** Every step of a tree, each before its subtree. */
export function* walk(steps: readonly StepNode[]): Generator<StepNode> {
  const stack = steps.toReversed();
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    yield step;
    const [first = NONE, second = NONE] = branchesOf(step);
    stack.push(...second.toReversed(), ...first.toReversed());
  }
}
