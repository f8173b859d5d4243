// What of an endpoint's deliveries is under way, bounded by number and by size: receivers that hang must not fill the memory. Pure.

export interface Load {
  readonly count: number;
  ids(): bigint[];
  /** Whether another one may be added. One alone may be of any size. */
  hasRoom(size: number): boolean;
  add(id: bigint, size: number): void;
  remove(id: bigint): void;
}

export function createLoad(maxCount: number, maxSize: number): Load {
  const sizes = new Map<bigint, number>();
  let total = 0;
  return {
    get count() {
      return sizes.size;
    },
    ids: () => [...sizes.keys()],
    hasRoom: (size) => sizes.size === 0 || (sizes.size < maxCount && total + size <= maxSize),
    add(id, size) {
      sizes.set(id, size);
      total += size;
    },
    remove(id) {
      total -= sizes.get(id) ?? 0;
      sizes.delete(id);
    },
  };
}
