// Blanking what erased contacts have left (src/store/erasure/erasing.ts): of one that has little at once, of others in the background.
import type { App, Context } from '../context.ts';
import { executorOf, inTransaction } from '../store/connections/executor.ts';
import { continueErasure, findUndone, findUndoneOf } from '../store/erasure/erasing.ts';

/** Batches that the request itself waits for, where there are no more than one of events and one of audit entries, as of most contacts. */
const AT_ONCE = 2;
/** Erasures that are looked for at a time, and batches of each before the next one has its turn. */
const UNDONE = 50;
const BATCHES = 20;

/** Blanks what a contact that was just erased has left, unless it is much. Where that fails, the background does it. @param team whose turn it takes */
export async function blankAtOnce(
  { store, log, signal }: Pick<Context, 'store' | 'log' | 'signal'>,
  team: bigint,
  { workspaceId, id }: { readonly workspaceId: bigint; readonly id: bigint },
): Promise<void> {
  async function blank(): Promise<void> {
    const erasure = await findUndoneOf(executorOf(store.pool), workspaceId, id);
    if (erasure !== null)
      await continueErasure((work) => inTransaction(store.pool, work), erasure, AT_ONCE, true);
  }
  try {
    await store.changing.run(String(team), blank, signal);
  } catch (error) {
    log.warn({ err: error }, 'an erased contact is blanked later');
  }
}

/**
 * Blanks a part of what is left of every erasure that nobody else is at.
 * @returns whether there is more
 * @throws the first failure, when all have had their turn
 */
export async function blankSome({ store }: Pick<App, 'store'>): Promise<boolean> {
  const failures: unknown[] = [];
  let isMore = false;
  for (const erasure of await findUndone(store, UNDONE))
    try {
      const progress = await continueErasure((work) => inTransaction(store.pool, work), erasure, BATCHES);
      isMore ||= progress === 'more';
    } catch (error) {
      failures.push(error);
    }
  if (failures.length > 0) throw failures[0];
  return isMore;
}
