// Saved filters of a workspace (spec §2, §4 pagination rule 7).
import type { Context } from '../context.ts';
import { MAX_PAGE_SIZE, type Page, type PageRequest } from '../pagination.ts';
import { type RefineFilterRow, refineFilter } from '../resources/refine-filters.ts';
import { readsOf } from './reads.ts';
import type { Ref } from './refs.ts';

export const { scope, getMany, list } = readsOf(refineFilter);

/** Which filters of the registry to read, and in which order. */
export type Whole = Pick<PageRequest, 'order' | 'filter'>;

/** Larger than a client's page may be: the whole registry is read anyway. */
const CHUNK_SIZE = 10 * MAX_PAGE_SIZE;

/**
 * The complete registry in chunks of rows. The first chunk is read before this returns, so that errors occur before the response starts.
 * @throws AppError `not_found` for the workspace
 */
export async function listAll(
  ctx: Context,
  workspace: Ref,
  whole: Whole,
): Promise<AsyncIterable<readonly RefineFilterRow[]>> {
  const chunk = (after: bigint | null) =>
    list(ctx, workspace, { ...whole, size: CHUNK_SIZE, after, before: null, backward: false });
  return chunksFrom(await chunk(null), chunk);
}

async function* chunksFrom(
  first: Page<RefineFilterRow>,
  next: (after: bigint) => Promise<Page<RefineFilterRow>>,
) {
  let page = first;
  yield page.rows;
  for (let last = page.rows.at(-1); page.more && last !== undefined; last = page.rows.at(-1)) {
    page = await next(last.id);
    yield page.rows;
  }
}
