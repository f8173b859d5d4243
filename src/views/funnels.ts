import type { ByteWriter } from '../rows/byte-writer.ts';
import { toInteger } from '../rows/json.ts';
import type { StepNode } from '../services/funnel-steps.ts';
import type { FunnelRow } from '../services/funnels.ts';
import { writeTags } from './tags.ts';
import { writer } from './writer.ts';

export const writeFunnel = writer<FunnelRow>({
  id: 'id',
  public_id: 'publicId',
  workspace_id: 'workspaceId',
  name: 'name',
  archived: 'archived',
  current_path: 'currentPath',
  live_mode: 'liveMode',
  domain_id: 'customDomainId',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  tags: ['tags', writeTags],
});

interface Structure {
  readonly funnel: FunnelRow;
  readonly steps: readonly StepNode[];
}

/** The funnel's workflow tree. `sort_order` is local to its list; the order of the arrays is the order of the flow. */
export function writeStructure({ funnel, steps }: Structure, out: ByteWriter): void {
  out.addText(
    JSON.stringify({
      funnel: { id: toInteger(funnel.id), public_id: funnel.publicId, name: funnel.name },
      steps: viewSteps(steps),
    }),
  );
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
      { branch: 'matched', steps: viewSteps(step.branches?.matched ?? []) },
      { branch: 'unmatched', steps: viewSteps(step.branches?.unmatched ?? []) },
    ],
  };
}
