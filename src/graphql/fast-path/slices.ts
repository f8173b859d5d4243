// A long answer is written in slices, between which the event loop has its turn.

/** Writing so many bytes takes some 10 ms. */
const SLICE_BYTES = 512 * 1024;

/** The slices of one answer. */
export class Slices {
  /** Written in this turn of the event loop. */
  private bytes = 0;
  private readonly later: (() => void)[] = [];
  private isScheduled = false;

  /** Counts what was written. */
  add(bytes: number): void {
    this.bytes += bytes;
  }

  /** Whether enough was written in this turn. @param bytes what is being written and not counted yet */
  isFull(bytes: number): boolean {
    return this.bytes + bytes > SLICE_BYTES;
  }

  /** Does something in a later turn, behind what waits already. */
  inNextTurn(work: () => void): void {
    this.later.push(work);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled || this.later.length === 0) return;
    this.isScheduled = true;
    setImmediate(() => this.nextTurn());
  }

  private nextTurn(): void {
    this.bytes = 0;
    while (this.later.length > 0 && !this.isFull(0)) this.later.shift()?.();
    this.isScheduled = false;
    this.schedule();
  }
}
