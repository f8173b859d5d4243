// Bounds how many requests a turn of the event loop begins. Node accepts one connection a turn: while connections come, turns have to be
// short, or those that wait to be accepted wait for everybody who was before them.

export interface Turns {
  /** Runs `begin` in this turn or a later one, in order. */
  run(begin: () => void): void;
  /** A connection was accepted: there may be more behind it. */
  accepted(): void;
}

const AT_MOST = 64;
const AT_MOST_WHILE_ACCEPTING = 1;

/** Holds no more than load-shedding.ts has admitted. */
export function createTurns(): Turns {
  let queue: (() => void)[] = [];
  let begun = 0;
  let isAccepting = false;
  let isScheduled = false;

  const allowance = () => (isAccepting ? AT_MOST_WHILE_ACCEPTING : AT_MOST);

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(nextTurn);
  }

  function nextTurn(): void {
    isScheduled = false;
    const now = queue.slice(0, allowance());
    queue = queue.slice(now.length);
    begun = now.length;
    isAccepting = false;
    if (begun > 0) schedule();
    for (const begin of now) begin();
  }

  return {
    run(begin) {
      schedule();
      if (queue.length > 0 || begun >= allowance()) queue.push(begin);
      else {
        begun += 1;
        begin();
      }
    },
    accepted() {
      isAccepting = true;
      schedule();
    },
  };
}
