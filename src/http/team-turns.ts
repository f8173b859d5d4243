// Turns between teams: what a team may have under way is bounded by weight (request-turn.ts), and so is what all have under way together.
// What is beyond waits: of one team in the order in which it came, of several round robin.

export interface TeamTurns {
  /** The weight that is under way, and how many requests wait. */
  readonly running: number;
  readonly waiting: number;
  /** The number of keys that have something under way or wait: no other key takes memory. */
  readonly keys: number;
  /**
   * Waits until a request of some weight may begin.
   * @returns undefined: it may at once. Rejects with the reason of `signal` when that is aborted first
   */
  take(key: string, weight: number, signal: AbortSignal): Promise<void> | undefined;
  /** Ends what has begun, with the weight of its beginning. What waits begins in a later turn of the event loop. */
  giveBack(key: string, weight: number): void;
}

interface Options {
  /** Under way of one team; a heavier request is under way alone. */
  readonly maxOfTeam: number;
  /** Under way of all teams. */
  readonly max: number;
}

interface Waiter {
  readonly weight: number;
  begin(): void;
}

interface Team {
  underWay: number;
  /** In the order in which they came. */
  readonly waiters: Set<Waiter>;
}

/** Some 30 ms of one processor: no request of another team waits much longer for those that have begun. */
const DEFAULTS: Options = { maxOfTeam: 64, max: 512 };

/** The turns of one process. Holds no more than load-shedding.ts has admitted. */
export function createTeamTurns({ maxOfTeam, max }: Options = DEFAULTS): TeamTurns {
  const teams = new Map<string, Team>();
  /** Those of which something waits, in the order of their turns. */
  const queue = new Set<string>();
  let underWay = 0;
  let waiting = 0;
  /** Whether the next one waits for what others have under way: nobody goes before it. */
  let isFull = false;
  let isScheduled = false;

  const atMost = (weight: number) => Math.min(weight, maxOfTeam);
  const fits = (weight: number) => underWay + weight <= max;

  function begin(team: Team, weight: number): void {
    team.underWay += weight;
    underWay += weight;
  }

  function forget(key: string, { underWay: own, waiters }: Team): void {
    if (waiters.size > 0) return;
    queue.delete(key);
    if (own === 0) teams.delete(key);
  }

  function schedule(): void {
    if (isScheduled || waiting === 0) return;
    isScheduled = true;
    setImmediate(beginNext);
  }

  function beginNext(): void {
    isScheduled = false;
    isFull = false;
    // A key that is added again is visited again.
    for (const key of queue) {
      const team = teams.get(key);
      const [first] = team?.waiters ?? [];
      if (team === undefined || first === undefined) continue;
      if (team.underWay + first.weight > maxOfTeam) continue;
      if (!fits(first.weight)) {
        isFull = true;
        return;
      }
      queue.delete(key);
      queue.add(key);
      first.begin();
    }
  }

  return {
    get running() {
      return underWay;
    },
    get waiting() {
      return waiting;
    },
    get keys() {
      return teams.size;
    },
    take(key, given, signal) {
      const weight = atMost(given);
      const team = teams.get(key) ?? { underWay: 0, waiters: new Set() };
      teams.set(key, team);
      if (team.waiters.size === 0 && team.underWay + weight <= maxOfTeam && !isFull && fits(weight)) {
        begin(team, weight);
        return undefined;
      }
      isFull ||= !fits(weight);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const leave = () => {
        team.waiters.delete(waiter);
        waiting -= 1;
        signal.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        weight,
        begin() {
          leave();
          begin(team, weight);
          forget(key, team);
          resolve();
        },
      };
      const abort = () => {
        leave();
        forget(key, team);
        schedule();
        reject(signal.reason);
      };
      team.waiters.add(waiter);
      queue.add(key);
      waiting += 1;
      signal.addEventListener('abort', abort);
      // What is under way ends by itself; where nothing is, the others of this turn come first.
      schedule();
      return promise;
    },
    giveBack(key, given) {
      const team = teams.get(key);
      if (team === undefined) return;
      const weight = atMost(given);
      team.underWay -= weight;
      underWay -= weight;
      forget(key, team);
      schedule();
    },
  };
}
