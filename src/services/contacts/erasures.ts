// Blanks the remaining copies of erased contacts (src/store/erasure/erasing.ts): at once when there are few, otherwise in the background.
import type { App, Context } from '../../context.ts';
import { executorOf, inTransaction } from '../../store/connections/executor.ts';
import { continueErasure, findUndone, findUndoneOf } from '../../store/erasure/erasing.ts';

/** The number of erasures to read at a time, and of batches of one erasure before the next one continues. */
const MAX_ERASURES = 50;
const MAX_BATCHES = 20;

/**
 * Blanks the copies of a contact that was just erased, unless there are more of a kind than one batch. If that fails, the background work
 * does it.
 * @param team the team whose queue slot the work takes
 */
export async function blankAtOnce(
  { store, log, signal }: Pick<Context, 'store' | 'log' | 'signal'>,
  team: bigint,
  { workspaceId, id }: { readonly workspaceId: bigint; readonly id: bigint },
): Promise<void> {
  async function blank(): Promise<void> {
    const erasure = await findUndoneOf(executorOf(store.pool), workspaceId, id);
    if (erasure !== null)
      await continueErasure(
        (work) => inTransaction(store.pool, work),
        erasure,
        Number.POSITIVE_INFINITY,
        true,
      );
  }
  try {
    await store.changing.run(String(team), blank, signal);
  } catch (error) {
    log.warn({ err: error }, 'an erased contact is blanked later');
  }
}

/**
 * Blanks some of the remaining copies of every erasure that no other process is working on.
 * @returns whether there is more
 * @throws the first failure, after trying every erasure
 */
export async function blankSome({ store }: Pick<App, 'store'>): Promise<boolean> {
  const failures: unknown[] = [];
  let isMore = false;
  const undone = await findUndone(store, MAX_ERASURES);
  for (const erasure of undone)
    try {
      const progress = await continueErasure((work) => inTransaction(store.pool, work), erasure, MAX_BATCHES);
      isMore ||= progress === 'more' || (progress === 'done' && undone.length === MAX_ERASURES);
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
  return isMore;
}
