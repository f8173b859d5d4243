// Fair scheduling between teams. The weight of the requests in progress is bounded, per team and in total (request-turn.ts). Requests above
// a bound wait: in order of arrival within a team, round robin between teams.

export interface TeamTurns {
  /** The weight in progress, and the number of waiting requests. */
  readonly running: number;
  readonly waiting: number;
  /** The number of keys with requests in progress or waiting. Other keys take no memory. */
  readonly keys: number;
  /**
   * Waits until a request of this weight may begin.
   * @returns undefined if it may begin at once. The promise rejects with the reason of `signal` if that is aborted first
   */
  take(key: string, weight: number, signal: AbortSignal): Promise<void> | undefined;
  /** Ends a request that has begun, with the same weight. Waiting requests begin in a later turn of the event loop. */
  giveBack(key: string, weight: number): void;
}

interface Options {
  /** The maximum weight in progress per team. A heavier request runs alone. */
  readonly maxOfTeam: number;
  /** The maximum weight in progress in total. */
  readonly max: number;
}

interface Waiter {
  readonly weight: number;
  begin(): void;
}

interface Team {
  underWay: number;
  /** In order of arrival. */
  readonly waiters: Set<Waiter>;
}

/** One team's maximum is about 30 ms of processor time, which bounds how long other teams wait for it. */
const DEFAULTS: Options = { maxOfTeam: 64, max: 512 };

/** The turns of one process. It holds at most the requests that load-shedding.ts has admitted. */
export function createTeamTurns({ maxOfTeam, max }: Options = DEFAULTS): TeamTurns {
  const teams = new Map<string, Team>();
  /** The teams with waiting requests, in the order of their turns. */
  const queue = new Set<string>();
  let underWay = 0;
  let waiting = 0;
  /** Whether the next request waits for the total to fall. No request may overtake it. */
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
    // A Set visits a key that is added again during the loop once more.
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
      // Needed if nothing is in progress: then no `giveBack` would start the waiting requests.
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
