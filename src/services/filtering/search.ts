// Searches of lists: checks what clients send, and who may search by it. Pure but for the placement of the store.
import { requireScope, scopeFor } from '../../auth/scopes.ts';
import type { Context } from '../../context.ts';
import { invalid, tooLong, UNSTORABLE } from '../../errors.ts';
import type { FilterValues } from '../../pagination.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { isStorable } from '../../rows/storable.ts';
import { NO_SEARCH } from '../../store/shard-placement/placement.ts';
import { SEARCH } from '../../store/sql/search.ts';

export const MAX_SEARCH_CHARS = 100;
/** Each word is one more condition on an index. */
export const MAX_SEARCH_WORDS = 10;

/**
 * Parses the text of a search into its words, as a filter. White space alone finds everything, as an empty search field does.
 * @param name the client's name for the parameter
 * @throws AppError `invalid`
 */
export function parseSearch(text: string, name: string): FilterValues {
  if (!isStorable(text)) throw invalid(name, UNSTORABLE);
  // A character outside the basic plane counts once.
  if (text.length > 2 * MAX_SEARCH_CHARS || [...text].length > MAX_SEARCH_CHARS)
    throw invalid(name, tooLong(MAX_SEARCH_CHARS));
  const words = [...new Set(text.split(/\s+/u).filter((word) => word !== ''))];
  if (words.length > MAX_SEARCH_WORDS)
    throw invalid(name, { code: 'too_many', message: `must have at most ${MAX_SEARCH_WORDS} words` });
  return words.length === 0 ? {} : { [SEARCH]: words };
}

/**
 * Requires that the caller may search a noun: also the read scope of nouns whose texts are searched, which results would reveal, and a store with
 * indexes for it.
 * @throws AppError `insufficient_scope`, `invalid`, `unavailable`
 */
export async function requireSearchable(
  ctx: Context,
  { fields, search = [] }: Pick<Resource, 'fields' | 'search'>,
): Promise<void> {
  for (const property of search) {
    const other = fields[property]?.refers as Resource | undefined;
    if (other !== undefined) requireScope(ctx, scopeFor(other, 'read'));
  }
  if (!(await ctx.store.placement.rules()).searches)
    throw invalid(SEARCH, { code: 'not_allowed', message: NO_SEARCH });
}
