// Bounds how many requests a turn of the event loop begins, by turns between addresses. Node accepts one connection a turn: while
// connections come, turns have to be short, or those that wait to be accepted wait for the work of all who were before them.

export interface Turns {
  /** Runs `begin` in this turn or a later one; those of one key in order. */
  run(key: string, begin: () => void): void;
  /** A connection was accepted: there may be more behind it. */
  accepted(): void;
}

const AT_MOST = 64;
/** Fewer would keep those who were accepted waiting for those who come. */
const AT_MOST_WHILE_ACCEPTING = 8;

/** Holds no more than load-shedding.ts has admitted, and requests whose bodies are to come. */
export function createTurns(): Turns {
  /** What waits, by key, in the order in which the keys have their turn. */
  const queues = new Map<string, (() => void)[]>();
  let begun = 0;
  let isAccepting = false;
  let isScheduled = false;

  const allowance = () => (isAccepting ? AT_MOST_WHILE_ACCEPTING : AT_MOST);

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    setImmediate(nextTurn);
  }

  function takeOne(): (() => void) | undefined {
    const [first] = queues;
    if (first === undefined) return undefined;
    const [key, queue] = first;
    const begin = queue.shift();
    queues.delete(key);
    if (queue.length > 0) queues.set(key, queue);
    return begin;
  }

  function nextTurn(): void {
    isScheduled = false;
    begun = 0;
    const allowed = allowance();
    isAccepting = false;
    while (begun < allowed) {
      const begin = takeOne();
      if (begin === undefined) break;
      begun += 1;
      begin();
    }
    if (begun > 0 || queues.size > 0) schedule();
  }

  return {
    run(key, begin) {
      schedule();
      const queue = queues.get(key);
      if (queue !== undefined) queue.push(begin);
      else if (queues.size > 0 || begun >= allowance()) queues.set(key, [begin]);
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
