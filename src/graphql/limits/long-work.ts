// Divides long work into pieces, so that the event loop can do other work in between. Each tick of the event loop does one piece of one
// operation; the operations alternate. So all long operations together delay other work by one piece only.

/** How many objects of an answer the full executor completes in one tick. One takes about 0.1 ms. */
const OBJECTS_PER_TICK = 500;

const queue: (() => void)[] = [];

function runNext(): void {
  queue.shift()?.();
  if (queue.length > 0) setImmediate(runNext);
}

/** Resolves in a later tick of the event loop, after all earlier calls. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    queue.push(resolve);
    if (queue.length === 1) setImmediate(runNext);
  });
}

/** The objects that one execution of the full executor completes. */
export class Pace {
  /** How many more objects may be completed in the last scheduled tick. */
  private left = OBJECTS_PER_TICK;
  /** The last scheduled tick; null: the current one. */
  private tick: Promise<void> | null = null;

  /** The items of a list, those beyond the current tick as promises that resolve in later ticks. */
  spread(items: readonly unknown[]): readonly unknown[] {
    if (this.tick === null && items.length <= this.left) {
      this.left -= items.length;
      return items;
    }
    return items.map((item) => this.next().then(() => item));
  }

  private next(): Promise<void> {
    if (this.tick === null || this.left === 0) {
      this.tick = (this.tick ?? Promise.resolve()).then(yieldToEventLoop);
      this.left = OBJECTS_PER_TICK;
    }
    this.left -= 1;
    return this.tick;
  }
}
