// What saved filters said when this process read them last. It may be old: whoever uses it makes sure that they still say so (refining.ts).
import { LRUCache } from 'lru-cache';
import type { RefineFilterRow } from '../../resources/refine-filters.ts';
import type { Tenancy } from '../../store/sql/tenancy.ts';

/** What of a saved filter decides about a list. */
export type SavedFilter = Pick<
  RefineFilterRow,
  'id' | 'workspaceId' | 'filterClass' | 'conjunction' | 'criteria' | 'updatedAt'
>;

/** Numbers that JavaScript does not keep exactly are bigints. For `JSON.stringify`. */
const exactly = (_name: string, value: unknown) =>
  typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value;

interface Known {
  readonly filter: SavedFilter;
  /** The filter as text. */
  readonly text: string;
}

/** In characters of their texts. A filter of more than the second is read before its list. */
const MAX_CHARS = 4_000_000;
const MAX_FILTER_CHARS = 50_000;
/** What an entry takes beside its text, about. */
const ENTRY_CHARS = 500;

/** By who may read the filter, and its id: what one team's filter says is never tried for another team. */
const knownFilters = new LRUCache<string, Known>({
  maxSize: MAX_CHARS,
  maxEntrySize: MAX_FILTER_CHARS,
  sizeCalculation: ({ text }, key) => text.length + key.length + ENTRY_CHARS,
});

/**
 * What is known of a saved filter.
 * @returns `remember` takes the filter as it is now, null where there is none, and tells whether it is what was known
 */
export function knownFilter(
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
        exactly,
      );
      if (text === known?.text) return true;
      const filter = { id, workspaceId, filterClass, conjunction, criteria, updatedAt };
      knownFilters.set(key, { filter, text });
      return false;
    },
  };
}
