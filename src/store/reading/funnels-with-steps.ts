// Reads pages of funnels together with the steps of these funnels, in one statement.
import type { Page, PageRequest } from '../../pagination.ts';
import { type FunnelRow, funnel } from '../../resources/funnels.ts';
import type { Tenancy } from '../sql/tenancy.ts';
import type { StoreContext } from '../store.ts';
import { tableOf } from '../tables/tables.ts';
import {
  groupSiblings,
  type Siblings,
  STEP_ORDER,
  STEPS,
  type StepColumns,
  type StepRow,
  stepsUnder,
  TREE,
} from './funnel-steps.ts';
import { ownersOf, project } from './projections.ts';
import { findPagesUnder } from './rows.ts';

const FUNNELS = tableOf(funnel);

/** Each funnel is repeated for each of its steps. With more funnels the result would often exceed the limit for shared reads (store.ts). */
const MAX_FUNNELS = 500;

/** The properties of funnels and of steps that the request needs. */
export interface StepsProjection {
  readonly funnels: readonly string[];
  readonly steps: readonly string[];
}

/**
 * Pages of funnels under workspaces (rows.ts), with every step of these funnels.
 * @returns null as `steps` where they must be read separately: with their pages, for many funnels, and in a distributed store
 */
export async function findPagesWithSteps(
  ctx: StoreContext,
  tenancy: Tenancy,
  workspaceIds: readonly bigint[],
  page: PageRequest,
  projections: StepsProjection,
): Promise<{ pages: (Page<FunnelRow> | null)[]; steps: Siblings[] | null }> {
  const { funnels } = projections;
  const isTogether =
    !projections.steps.includes('page') &&
    workspaceIds.length * page.size <= MAX_FUNNELS &&
    (await ctx.store.distribution.joinsParents());
  if (!isTogether)
    return {
      pages: await findPagesUnder(ctx, FUNNELS, tenancy, workspaceIds, page, funnels),
      steps: null,
    };
  const projected = project(STEPS, [...TREE, ...projections.steps], tenancy.teamId);
  const steps: StepRow[] = [];
  const below = {
    projected,
    table: 'funnel_steps',
    on: stepsUnder('f."workspaceId"', 'f.id'),
    order: STEP_ORDER,
    owners: (offset: number) => ownersOf(projected.columns, STEPS.owners, offset),
    add: (step: StepColumns) => void steps.push(step as StepRow),
  };
  const pages = await findPagesUnder(ctx, FUNNELS, tenancy, workspaceIds, page, funnels, below);
  return { pages, steps: groupSiblings(steps) };
}
