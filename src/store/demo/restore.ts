// Puts the demo's funnels back as they were seeded: the same steps and pages, with the same ids. What was removed from them is still
// there, only marked, and what clients have added is marked so too: nothing is inserted and nothing is deleted.
import { AppError } from '../../errors.ts';
import { setIsShown } from '../changing/shown-pages.ts';
import { withTransaction } from '../changing/transactions.ts';
import type { Store, Transaction } from '../store.ts';
import { type DemoFunnel, type DemoStep, readFunnels } from './demo-funnels.ts';

/** A funnel of which something was put back. */
export interface RestoredFunnel {
  readonly id: bigint;
  readonly name: string;
}

/** A funnel of the demo with its row. */
interface LockedFunnel extends DemoFunnel {
  readonly id: bigint;
  readonly createdAt: Date;
}

/**
 * Puts back what was removed from the demo's funnels, or renamed, and takes out the steps that clients added, all of it or nothing;
 * whatever else is in the store is left alone.
 * @param at the time that is noted at what is changed
 * @returns the funnels that were not as the demo has them, in the order of their ids
 * @throws AppError `conflict` when a funnel of the demo is missing, or is not made of the demo's steps
 */
export async function restoreDemo(store: Store, at: Date): Promise<RestoredFunnel[]> {
  const seeded = await readFunnels();
  return withTransaction({ store }, async (tx) => {
    const restored: RestoredFunnel[] = [];
    for (const funnel of await lockFunnels(tx, seeded))
      if (await restoreFunnel(tx, funnel, at)) restored.push({ id: funnel.id, name: funnel.name });
    return restored;
  });
}

/**
 * The demo's funnels, locked against other changes until the transaction ends. Whoever renames them does not hide them: the demo has the
 * first ids of its store (seed.ts), in the order of the data.
 */
async function lockFunnels(tx: Transaction, seeded: readonly DemoFunnel[]): Promise<LockedFunnel[]> {
  const funnels: LockedFunnel[] = [];
  // In one order, so that two of us do not wait for each other.
  for (const [index, funnel] of seeded.entries()) {
    const [row] = await tx.$queryRaw<Pick<LockedFunnel, 'id' | 'createdAt'>[]>`
      select id, created_at as "createdAt" from funnels
      where workspace_id = ${funnel.workspaceId} and id = ${index + 1} for update`;
    if (row === undefined) throw notTheDemo();
    funnels.push({ ...funnel, ...row });
  }
  return funnels;
}

/** @returns whether anything had to be put back */
async function restoreFunnel(tx: Transaction, funnel: LockedFunnel, at: Date): Promise<boolean> {
  const { id: funnelId, workspaceId, name } = funnel;
  const steps = await tx.funnelStep.findMany({
    where: { workspaceId, funnelId },
    // They got their ids in the order of the data.
    orderBy: { id: 'asc' },
  });
  const [rows, added] = [steps.slice(0, funnel.steps.length), steps.slice(funnel.steps.length)];
  if (rows.length < funnel.steps.length) throw notTheDemo();
  const filters = await tx.refineFilter.findMany({
    where: { workspaceId },
    select: { id: true, name: true },
  });
  const places = rows.map((row, index) => {
    const step = funnel.steps[index] as DemoStep;
    // Steps that clients add are younger than their funnel.
    if (row.kind !== step.kind || Number(row.createdAt) !== Number(funnel.createdAt)) throw notTheDemo();
    // A split that was removed names no filter any more.
    const found = filters.find((one) => one.name === step.filter)?.id ?? row.filterId;
    const filterId = step.filter === null ? null : found;
    const parentId = step.parent === null ? null : (rows[step.parent]?.id ?? null);
    const { branch, position } = step;
    const there = { removedAt: null, removalReason: null };
    return { row, data: { name: step.name, parentId, branch, position, filterId, ...there } };
  });
  const moved = places.filter(({ row, data }) =>
    Object.entries(data).some(([column, value]) => Reflect.get(row, column) !== value),
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
  for (const { row, data } of moved)
    await tx.funnelStep.update({
      where: { workspaceId_id: { workspaceId, id: row.id } },
      data: { ...data, updatedAt: at },
    });
  await setIsShown(tx, workspaceId, [...pageIds, ...added.flatMap(({ pageId }) => pageId ?? [])]);
  const { count: renamed } = await tx.funnel.updateMany({
    where: { workspaceId, id: funnelId, name: { not: name } },
    data: { name, rowVersion: { increment: 1 }, updatedAt: at },
  });
  return moved.length + pages + takenOut + renamed > 0;
}

function notTheDemo(): AppError {
  return new AppError('conflict', 'This store does not hold the demo data. Nothing was changed.');
}
