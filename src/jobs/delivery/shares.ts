// How many endpoint workers of a worker's one team may have: endpoints that hang or answer slowly hold theirs, and must not hold all of them.

export interface Shares {
  /** Takes an endpoint worker for a team. Returns what gives it back; null where the team has its share and endpoint workers are scarce. */
  take(teamId: bigint): (() => void) | null;
}

/** A team may have more than this share while less than half of the endpoint workers are taken. */
const SHARE = 0.25;

/** @param maxWorkers the endpoint workers that there are */
export function createShares(maxWorkers: number): Shares {
  /** As many entries as endpoint workers at most. */
  const workersOf = new Map<bigint, number>();
  let taken = 0;

  function add(teamId: bigint, count: number): void {
    const workers = (workersOf.get(teamId) ?? 0) + count;
    if (workers > 0) workersOf.set(teamId, workers);
    else workersOf.delete(teamId);
    taken += count;
  }

  return {
    take(teamId) {
      const isScarce = taken >= maxWorkers / 2;
      if (isScarce && (workersOf.get(teamId) ?? 0) >= maxWorkers * SHARE) return null;
      add(teamId, 1);
      return () => add(teamId, -1);
    },
  };
}
