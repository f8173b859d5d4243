// Limits how many endpoint workers of a worker one team may use, because slow or hanging endpoints must not occupy all of them.

export interface Shares {
  /**
   * Takes an endpoint worker for a team. Returns a function that releases it; null if the team has its share and endpoint workers are
   * scarce.
   */
  take(teamId: bigint): (() => void) | null;
}

/** A team may exceed this share while less than half of the endpoint workers are in use. */
const SHARE = 0.25;

/** @param maxWorkers the number of endpoint workers */
export function createShares(maxWorkers: number): Shares {
  /** At most as many entries as endpoint workers. */
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
