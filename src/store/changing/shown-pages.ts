// Whether pages are shown by a step of a funnel (`is_shown`).
import type { Transaction } from '../store.ts';

/**
 * Sets `is_shown` of pages after steps were written, unless triggers have done it (shard-placement/). No change of the pages is
 * recorded, and `updated_at` stays.
 */
export async function setIsShown(
  tx: Pick<Transaction, 'funnelStep' | 'page'>,
  workspaceId: bigint,
  pageIds: readonly bigint[],
): Promise<void> {
  if (pageIds.length === 0) return;
  const steps = await tx.funnelStep.findMany({
    where: { workspaceId, pageId: { in: [...pageIds] }, removedAt: null },
    select: { pageId: true },
  });
  const shown = new Set(steps.map(({ pageId }) => pageId));
  for (const isShown of [true, false]) {
    const ids = pageIds.filter((id) => shown.has(id) === isShown);
    if (ids.length === 0) continue;
    await tx.page.updateMany({
      where: { workspaceId, id: { in: ids }, isShown: !isShown },
      data: { isShown },
    });
  }
}
