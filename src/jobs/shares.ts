// How many lanes of a worker's one team may have: endpoints that hang or answer slowly hold theirs, and must not hold all of them.

export interface Shares {
  /** Takes a lane for a team. Returns what gives it back; null where the team has its share and lanes are scarce. */
  take(teamId: bigint): (() => void) | null;
}

/** A team may have more than this share while less than half of the lanes are taken. */
const SHARE = 0.25;

/** @param maxLanes the lanes that there are */
export function createShares(maxLanes: number): Shares {
  /** As many entries as lanes at most. */
  const lanesOf = new Map<bigint, number>();
  let taken = 0;

  function add(teamId: bigint, count: number): void {
    const lanes = (lanesOf.get(teamId) ?? 0) + count;
    if (lanes > 0) lanesOf.set(teamId, lanes);
    else lanesOf.delete(teamId);
    taken += count;
  }

  return {
    take(teamId) {
      const isScarce = taken >= maxLanes / 2;
      if (isScarce && (lanesOf.get(teamId) ?? 0) >= maxLanes * SHARE) return null;
      add(teamId, 1);
      return () => add(teamId, -1);
    },
  };
}
