// What each noun's part of the demo is handed.
import type { Random } from '../seed/random.ts';
import type { Transaction } from '../store.ts';

/** What the parts share while the demo is inserted, in one transaction. */
export interface Demo {
  readonly tx: Transaction;
  readonly random: Random;
  /** A moment that many days before the seeding, to the millisecond; dates are spread by `random`. */
  daysAgo(days: number): Date;
}
