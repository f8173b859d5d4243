// Bounds how many requests one turn of the event loop starts, round robin between addresses. Node accepts one connection per turn, so turns
// must be short while connections arrive: otherwise pending connections would wait for the work of all earlier requests.

export interface Turns {
  /** Runs `begin` in this turn of the event loop or a later one, in order per key. */
  run(key: string, begin: () => void): void;
  /** To be called when a connection was accepted, since more may be pending. */
  accepted(): void;
}

const AT_MOST = 64;
/** With fewer, accepted connections would wait too long for pending ones. */
const AT_MOST_WHILE_ACCEPTING = 8;

/** Holds at most the requests that load-shedding.ts has admitted, and those whose bodies have not arrived yet. */
export function createTurns(): Turns {
  /** The waiting requests by key, in the order of the keys' turns. */
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
