// Writes a long answer in slices, so that the event loop can do other work in between.

/** Writing this many bytes takes about 10 ms. */
const SLICE_BYTES = 512 * 1024;

/** The slices of one answer. */
export class Slices {
  /** Bytes written in this tick of the event loop. */
  private bytes = 0;
  private readonly later: (() => void)[] = [];
  private isScheduled = false;

  /** Counts written bytes. */
  add(bytes: number): void {
    this.bytes += bytes;
  }

  /** Whether enough was written in this tick. @param bytes written but not counted yet */
  isFull(bytes: number): boolean {
    return this.bytes + bytes > SLICE_BYTES;
  }

  /** Runs `work` in a later tick, after all work that is already scheduled. */
  inNextTick(work: () => void): void {
    this.later.push(work);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled || this.later.length === 0) return;
    this.isScheduled = true;
    setImmediate(() => this.runLater());
  }

  private runLater(): void {
    this.bytes = 0;
    while (this.later.length > 0 && !this.isFull(0)) this.later.shift()?.();
    this.isScheduled = false;
    this.schedule();
  }
}
