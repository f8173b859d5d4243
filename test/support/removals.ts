// Builds a workflow, removes splits from it over REST, and reads the result.

import type { BuiltStep, Plan } from './factories.ts';
import * as factories from './factories.ts';
import type { Caller, Gateway } from './gateway.ts';
import type { Branch } from './plans.ts';
import { json } from './walk.ts';

interface StepJson {
  readonly name: string;
  readonly sort_order: number;
  readonly branches?: { branch: string; steps: StepJson[] }[];
}

export interface Built {
  readonly funnel: { id: bigint; publicId: string; workspaceId: bigint };
  /** @throws for a name that is not in the plan */
  step(name: string): BuiltStep;
}

/** A funnel with this workflow. */
export async function build(gateway: Gateway, workspaceId: bigint, plans: Plan[]): Promise<Built> {
  const funnel = await factories.funnel(gateway.app, { workspaceId });
  const steps = await factories.workflow(gateway.app, funnel, plans);
  return {
    funnel,
    step(name) {
      const step = steps.get(name);
      if (step === undefined) throw new Error(`No step ${name}`);
      return step;
    },
  };
}

/** The status of a DELETE of this split. */
export async function removeSplit(
  gateway: Gateway,
  caller: Caller,
  { funnel, step }: Built,
  name: string,
  branch?: Branch,
): Promise<number> {
  const query = branch === undefined ? '' : `?branch=${branch}`;
  const path = `/api/v2/funnels/${funnel.id}/conditional_split_steps/${step(name).id}${query}`;
  return (await gateway.send(path, { caller, method: 'DELETE' })).status;
}

/** The funnel's structure as a plan. @throws when the positions of siblings are not 0, 1, 2, ... */
export async function readPlan(gateway: Gateway, caller: Caller, { funnel }: Built): Promise<Plan[]> {
  const response = await gateway.send(`/api/v2/funnels/${funnel.id}/structure`, { caller });
  const toPlans = (steps: StepJson[]): Plan[] =>
    steps.map(({ name, sort_order, branches }, index) => {
      if (sort_order !== index) throw new Error(`${name} has position ${sort_order}, not ${index}`);
      if (branches === undefined) return name;
      const [matched, unmatched] = branches.map((branch) => toPlans(branch.steps));
      return { split: name, matched: matched ?? [], unmatched: unmatched ?? [] };
    });
  return toPlans((await json<{ steps: StepJson[] }>(response)).steps);
}
