import { toInteger, toIntegerOrNull, toTimestamp } from '../json.ts';
import type { StepNode } from '../services/funnel-steps.ts';
import type { FunnelRow } from '../services/funnels.ts';
import { viewTag } from './tags.ts';

export function viewFunnel(funnel: FunnelRow) {
  return {
    id: toInteger(funnel.id),
    public_id: funnel.publicId,
    workspace_id: toInteger(funnel.workspaceId),
    name: funnel.name,
    archived: funnel.archived,
    current_path: funnel.currentPath,
    live_mode: funnel.liveMode,
    domain_id: toIntegerOrNull(funnel.customDomainId),
    created_at: toTimestamp(funnel.createdAt),
    updated_at: toTimestamp(funnel.updatedAt),
    tags: funnel.tags.map(viewTag),
  };
}

/** The funnel's workflow tree. `sort_order` is local to its list; the order of the arrays is the order of the flow. */
export function viewStructure({ funnel, steps }: { funnel: FunnelRow; steps: readonly StepNode[] }) {
  return {
    funnel: { id: toInteger(funnel.id), public_id: funnel.publicId, name: funnel.name },
    steps: viewSteps(steps),
  };
}

/** After a split the flow converges on the step behind it, if any. */
function viewSteps(steps: readonly StepNode[]): object[] {
  return steps.map((step, index) => viewStep(step, steps[index + 1] ?? null));
}

function viewStep(step: StepNode, next: StepNode | null): object {
  const common = {
    id: toInteger(step.id),
    public_id: step.publicId,
    name: step.name,
    sort_order: step.position,
  };
  if (step.page !== null) {
    const { id, publicId, name, currentPath } = step.page;
    return {
      ...common,
      step_type: 'show_page_step',
      show_page_step_id: step.publicId,
      page: { id: toInteger(id), public_id: publicId, name, current_path: currentPath },
    };
  }
  return {
    ...common,
    step_type: 'conditional_split_step',
    convergence_step_id: next?.publicId ?? null,
    branches: [
      { branch: 'matched', steps: viewSteps(step.matched) },
      { branch: 'unmatched', steps: viewSteps(step.unmatched) },
    ],
  };
}
