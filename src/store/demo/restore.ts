// Puts the demo's funnels back as they were seeded: the same steps and pages, with the same ids. What was removed from them is still
// there, only marked (DESIGN §8), and what clients have added is marked so too: nothing is inserted and nothing is deleted.
import { AppError } from '../../errors.ts';
import { type Store, type Transaction, withPrisma } from '../store.ts';
import type { FunnelData } from './data/shape.ts';
import { TEAMS } from './data/teams.ts';
import { type FlatStep, filterNameOf, flatten, kindOf } from './funnel-steps.ts';
import { zip } from './named.ts';

/** A funnel of which something was put back. */
export interface RestoredFunnel {
  readonly id: bigint;
  readonly name: string;
}

interface DemoFunnel extends RestoredFunnel {
  readonly workspaceId: bigint;
  readonly data: FunnelData;
}

/**
 * Puts back what was removed from the demo's funnels, or renamed, and takes out the steps that clients added, all of it or nothing;
 * whatever else is in the store is left alone.
 * @param at the time that is noted at what is changed
 * @returns the funnels that were not as the demo has them, in the order of their ids
 * @throws AppError `conflict` when a funnel of the demo is missing, or is not made of the demo's steps
 */
export async function restoreDemo(store: Store, at: Date): Promise<RestoredFunnel[]> {
  return withPrisma(store, (prisma) =>
    prisma.$transaction(async (tx) => {
      const restored: RestoredFunnel[] = [];
      for (const funnel of await lockFunnels(tx))
        if (await restoreFunnel(tx, funnel, at)) restored.push({ id: funnel.id, name: funnel.name });
      return restored;
    }),
  );
}

/** The demo's funnels, locked against other changes until the transaction ends. */
async function lockFunnels(tx: Transaction): Promise<DemoFunnel[]> {
  const funnels: DemoFunnel[] = [];
  for (const team of TEAMS)
    for (const workspace of team.workspaces) {
      const found = await tx.funnel.findMany({
        where: { workspace: { subdomain: workspace.subdomain, team: { subdomain: team.subdomain } } },
        select: { id: true, workspaceId: true, name: true, currentPath: true },
      });
      for (const data of workspace.funnels) {
        const funnel = found.find(({ name, currentPath }) => name === data.name && currentPath === data.path);
        if (funnel === undefined) throw notTheDemo();
        funnels.push({ id: funnel.id, workspaceId: funnel.workspaceId, name: funnel.name, data });
      }
    }
  // In one order, so that two of us do not wait for each other.
  funnels.sort((a, b) => Number(a.id - b.id));
  for (const { workspaceId, id } of funnels)
    await tx.$executeRaw`select from funnels where workspace_id = ${workspaceId} and id = ${id} for update`;
  return funnels;
}

/** @returns whether anything had to be put back */
async function restoreFunnel(tx: Transaction, funnel: DemoFunnel, at: Date): Promise<boolean> {
  const { id: funnelId, workspaceId } = funnel;
  const steps = await tx.funnelStep.findMany({
    where: { workspaceId, funnelId },
    // They got their ids in the order of the data.
    orderBy: { id: 'asc' },
  });
  const seeded = flatten(funnel.data);
  const [rows, added] = [steps.slice(0, seeded.length), steps.slice(seeded.length)];
  if (rows.length < seeded.length) throw notTheDemo();
  const places = zip(rows, seeded).map(([row, step]) => {
    const { kind, name } = kindOf(step.step);
    if (row.kind !== kind) throw notTheDemo();
    return { row, step, name, parentId: step.parent === null ? null : (rows[step.parent]?.id ?? null) };
  });
  // A split that was removed names no filter any more.
  const filters = await tx.refineFilter.findMany({
    where: { workspaceId },
    select: { id: true, name: true },
  });
  const filterOf = ({ step }: FlatStep) => {
    const name = filterNameOf(step);
    return name === null ? null : (filters.find((filter) => filter.name === name)?.id ?? null);
  };
  const moved = places.filter(
    ({ row, step, name, parentId }) =>
      row.removedAt !== null ||
      row.name !== name ||
      row.filterId !== filterOf(step) ||
      row.parentId !== parentId ||
      row.branch !== step.branch ||
      row.position !== step.position,
  );
  const pageIds = rows.map(({ pageId }) => pageId).filter((id) => id !== null);
  const { count: pages } = await tx.page.updateMany({
    where: { workspaceId, id: { in: pageIds }, discardedAt: { not: null } },
    data: { discardedAt: null, discardReason: null, updatedAt: at },
  });
  // Their pages stay, by themselves.
  const { count: takenOut } = await tx.funnelStep.updateMany({
    where: { workspaceId, id: { in: added.map(({ id }) => id) }, removedAt: null },
    data: { removedAt: at, removalReason: 'demo_restored', filterId: null, updatedAt: at },
  });
  for (const { row, step, name, parentId } of moved)
    await tx.funnelStep.update({
      where: { workspaceId_id: { workspaceId, id: row.id } },
      data: {
        name,
        parentId,
        branch: step.branch,
        position: step.position,
        removedAt: null,
        removalReason: null,
        filterId: filterOf(step),
        updatedAt: at,
      },
    });
  return moved.length + pages + takenOut > 0;
}

function notTheDemo(): AppError {
  return new AppError('conflict', 'This store does not hold the demo data: nothing was changed.');
}
