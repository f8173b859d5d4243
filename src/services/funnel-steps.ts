// A funnel's main workflow: the ordered tree of its steps.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { findSteps, findStepsAround, type StepRow } from '../store/funnel-steps.ts';
import type { Ref } from '../store/rows.ts';
import { type FunnelRow, get as getFunnel } from './funnels.ts';
import type { WantedColumns } from './reads.ts';

/** A step with its branches' steps below it; both are empty on a page. */
export interface StepNode extends StepRow {
  readonly matched: readonly StepNode[];
  readonly unmatched: readonly StepNode[];
}

/** A funnel with its top-level steps. @throws AppError `not_found` for the funnel */
export async function getStructure(
  ctx: Context,
  funnel: Ref,
): Promise<{ funnel: FunnelRow; steps: readonly StepNode[] }> {
  const row = await getFunnel(ctx, funnel);
  const [steps = []] = await listMany(ctx, [row.id]);
  return { funnel: row, steps };
}

/**
 * The top-level steps of each funnel, in the funnels' order and in one statement; none where it is not the caller's.
 * @param wanted the properties of steps that will be asked for; null is all of them
 */
export async function listMany(
  ctx: Context,
  funnelIds: readonly bigint[],
  wanted: WantedColumns = null,
): Promise<(readonly StepNode[])[]> {
  const { reach } = requireScope(ctx, 'funnels:read');
  const { ofFunnel } = toTrees(await findSteps(ctx.store, reach, funnelIds, wanted));
  return funnelIds.map((id) => ofFunnel.get(id) ?? NONE);
}

/** Steps with what is below them, in the ids' order and in one statement; null for what is not the caller's. */
export async function getMany(ctx: Context, stepIds: readonly bigint[]): Promise<(StepNode | null)[]> {
  const { reach } = requireScope(ctx, 'funnels:read');
  const { byId } = toTrees(await findStepsAround(ctx.store, reach, stepIds));
  return stepIds.map((id) => byId.get(id) ?? null);
}

const NONE: readonly never[] = [];

/** The trees that steps make. Siblings come together and in their order, and stay in it. */
function toTrees(steps: readonly StepRow[]) {
  type Open = StepRow & { matched: Open[]; unmatched: Open[] };
  const byId = new Map<bigint, Open>();
  const ofFunnel = new Map<bigint, Open[]>();
  for (const step of steps as readonly Open[]) {
    // The row itself becomes the node: its columns stay as they came.
    const isSplit = step.kind === 'conditional_split';
    step.matched = isSplit ? [] : (NONE as readonly never[] as never[]);
    step.unmatched = isSplit ? [] : (NONE as readonly never[] as never[]);
    byId.set(step.id, step);
  }
  for (const step of byId.values()) {
    const { parentId } = step;
    const siblings =
      parentId === null ? topOf(step.funnelId) : byId.get(parentId)?.[step.branch ?? 'matched'];
    siblings?.push(step);
  }
  return { byId, ofFunnel };

  function topOf(funnelId: bigint): Open[] {
    const steps = ofFunnel.get(funnelId) ?? [];
    if (steps.length === 0) ofFunnel.set(funnelId, steps);
    return steps;
  }
}

/** Every step of a tree, each before its subtree. */
export function* walk(steps: readonly StepNode[]): Generator<StepNode> {
  const stack = steps.toReversed();
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    yield step;
    stack.push(...step.unmatched.toReversed(), ...step.matched.toReversed());
  }
}
