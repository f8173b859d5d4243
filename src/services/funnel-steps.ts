// A funnel's main workflow: the ordered tree of its steps.
import { requireScope } from '../auth/scopes.ts';
import type { Context } from '../context.ts';
import { findSteps, findStepsAround, type StepRow } from '../store/funnel-steps.ts';
import type { Ref } from '../store/rows.ts';
import { type FunnelRow, get as getFunnel } from './funnels.ts';
import { groupBySiblings, siblingKey } from './workflow.ts';

/** A step with its branches' steps below it; both are empty on a page. */
export interface StepNode extends StepRow {
  readonly matched: readonly StepNode[];
  readonly unmatched: readonly StepNode[];
}

/** A funnel with its top-level steps. @throws AppError `not_found` for the funnel */
export async function getStructure(
  ctx: Context,
  funnel: Ref,
): Promise<{ funnel: FunnelRow; steps: StepNode[] }> {
  const row = await getFunnel(ctx, funnel);
  const [steps = []] = await listMany(ctx, [row.id]);
  return { funnel: row, steps };
}

/**
 * The top-level steps of each funnel, in the funnels' order and in one statement; none where it is not the caller's.
 * @param options.bare nobody will ask for the steps' pages
 */
export async function listMany(
  ctx: Context,
  funnelIds: readonly bigint[],
  { bare = false }: { bare?: boolean } = {},
): Promise<StepNode[][]> {
  const { reach } = requireScope(ctx, 'funnels:read');
  const byFunnel = Map.groupBy(await findSteps(ctx.store, reach, funnelIds, bare), (step) => step.funnelId);
  return funnelIds.map((id) => toTree(byFunnel.get(id) ?? []));
}

/** Steps with what is below them, in the ids' order and in one statement; null for what is not the caller's. */
export async function getMany(ctx: Context, stepIds: readonly bigint[]): Promise<(StepNode | null)[]> {
  const { reach } = requireScope(ctx, 'funnels:read');
  const byFunnel = Map.groupBy(await findStepsAround(ctx.store, reach, stepIds), (step) => step.funnelId);
  const nodes = [...byFunnel.values()].flatMap((steps) => [...walk(toTree(steps))]);
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return stepIds.map((id) => byId.get(id) ?? null);
}

function toTree(steps: readonly StepRow[]): StepNode[] {
  type Open = StepRow & { matched: Open[]; unmatched: Open[] };
  const siblings = groupBySiblings(steps as readonly Open[]);
  for (const step of steps) {
    const matched = siblings.get(siblingKey(step.id, 'matched')) ?? [];
    // The step itself becomes the node: its columns stay undecoded.
    Object.assign(step, { matched, unmatched: siblings.get(siblingKey(step.id, 'unmatched')) ?? [] });
  }
  return siblings.get(siblingKey(null, null)) ?? [];
}

/** Every step of a tree, each before its subtree. */
export function* walk(steps: readonly StepNode[]): Generator<StepNode> {
  const stack = steps.toReversed();
  for (let step = stack.pop(); step !== undefined; step = stack.pop()) {
    yield step;
    stack.push(...step.unmatched.toReversed(), ...step.matched.toReversed());
  }
}
