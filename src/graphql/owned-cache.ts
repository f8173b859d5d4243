// A memory of what was used last, bounded in bytes, whose entries have owners (teams): in a full one, an owner that fills more
// than its share makes room itself, so that nobody pushes out what others use.
import { LRUCache } from 'lru-cache';

export interface OwnedCache<Value> {
  readonly bytes: number;
  get(key: string): Value | undefined;
  /** @param bytes what the entry takes, at least 1 */
  set(key: string, value: Value, owner: string, bytes: number): void;
}

interface Entry<Value> {
  readonly value: Value;
  readonly owner: string;
  readonly bytes: number;
}

/** @param maxOwnerBytes what one owner may fill of a full cache; with room left, it may fill all of it */
export function createOwnedCache<Value>(maxBytes: number, maxOwnerBytes: number): OwnedCache<Value> {
  const filledBy = new Map<string, number>();
  const entries = new LRUCache<string, Entry<Value>>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    dispose: ({ owner, bytes }) => fill(owner, -bytes),
  });

  function fill(owner: string, bytes: number): void {
    const filled = (filledBy.get(owner) ?? 0) + bytes;
    if (filled === 0) filledBy.delete(owner);
    else filledBy.set(owner, filled);
  }

  /** Lets go of an owner's entries, the one that was not used for longest first. */
  function makeRoom(owner: string, bytes: number): void {
    for (const key of entries.rkeys()) {
      if (entries.calculatedSize + bytes <= maxBytes) return;
      if ((filledBy.get(owner) ?? 0) + bytes <= maxOwnerBytes) return;
      if (entries.peek(key)?.owner === owner) entries.delete(key);
    }
  }

  return {
    get bytes() {
      return entries.calculatedSize;
    },
    get: (key) => entries.get(key)?.value,
    set(key, value, owner, bytes) {
      if (bytes > maxOwnerBytes) return;
      entries.delete(key);
      makeRoom(owner, bytes);
      fill(owner, bytes);
      entries.set(key, { value, owner, bytes });
    },
  };
}
