// Caches saved filters as this process last read them. An entry may be stale: the caller verifies it (refining.ts).
import { LRUCache } from 'lru-cache';
import type { RefineFilterRow } from '../../resources/refine-filters.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';

/** The properties of a saved filter that determine a list. */
export type SavedFilter = Pick<
  RefineFilterRow,
  'id' | 'workspaceId' | 'filterClass' | 'conjunction' | 'criteria' | 'updatedAt'
>;

/** A replacer for `JSON.stringify`: numbers that JavaScript cannot hold exactly are bigints. */
const exactNumber = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;

interface CachedFilter {
  readonly filter: SavedFilter;
  /** The filter as text. */
  readonly text: string;
}

/** The sizes of the cache and of its largest entry, in characters. A larger filter is not cached, so it is read before its list. */
const MAX_CHARS = 4_000_000;
const MAX_FILTER_CHARS = 50_000;
/** The approximate size of an entry without its text and key. */
const ENTRY_CHARS = 500;

/** Keyed by the tenancy and the filter's id, so that one team's filter is never tried for another team. */
const knownFilters = new LRUCache<string, CachedFilter>({
  maxSize: MAX_CHARS,
  maxEntrySize: MAX_FILTER_CHARS,
  sizeCalculation: ({ text }, key) => text.length + key.length + ENTRY_CHARS,
});

/**
 * Looks a saved filter up in the cache.
 * @returns the cached filter, and `remember`: it stores the current filter (null: there is none) and returns whether that equals the
 *   cached one
 */
export function cachedFilter(
  { teamId, workspaceIds }: Tenancy,
  id: bigint,
): { readonly filter: SavedFilter | undefined; remember(current: SavedFilter | null): boolean } {
  const key = `${teamId} ${workspaceIds} ${id}`;
  const known = knownFilters.get(key);
  return {
    filter: known?.filter,
    remember(current) {
      if (current === null) {
        knownFilters.delete(key);
        return false;
      }
      const { workspaceId, filterClass, conjunction, criteria, updatedAt } = current;
      const text = JSON.stringify(
        [String(workspaceId), filterClass, conjunction, criteria, updatedAt],
        exactNumber,
      );
      if (text === known?.text) return true;
      const filter = { id, workspaceId, filterClass, conjunction, criteria, updatedAt };
      knownFilters.set(key, { filter, text });
      return false;
    },
  };
}
