// Divides long work into pieces, so that the event loop can do other work in between. One piece of one operation is done in each turn of the
// event loop: operations take turns, and together they delay others by one piece only.

/** How many objects of an answer the full executor completes at once. One takes about 0.1 ms. */
const OBJECTS_PER_TURN = 500;

const waiting: (() => void)[] = [];

function beginTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(beginTurn);
}

/** Resolves in a later turn of the event loop, after those that already wait. */
export function turnOfLongWork(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(beginTurn);
  });
}

/** The objects that one execution of the full executor completes. */
export class Pace {
  /** How many objects may still be completed in the turn that was last asked for. */
  private left = OBJECTS_PER_TURN;
  /** The turn that was last asked for; null: the current one. */
  private turn: Promise<void> | null = null;

  /** The items of a list, those beyond the current turn as promises that resolve in later turns. */
  spread(items: readonly unknown[]): readonly unknown[] {
    if (this.turn === null && items.length <= this.left) {
      this.left -= items.length;
      return items;
    }
    return items.map((item) => this.next().then(() => item));
  }

  private next(): Promise<void> {
    if (this.turn === null || this.left === 0) {
      this.turn = (this.turn ?? Promise.resolve()).then(turnOfLongWork);
      this.left = OBJECTS_PER_TURN;
    }
    this.left -= 1;
    return this.turn;
  }
}
