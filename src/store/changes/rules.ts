// What is special of changes to one noun, as SQL. Without rules a noun is changed by its description alone.
import type { Table } from '../tables.ts';

/** SQL at creation, of the row as it is to be, `n`; and in a change, of `n` and the row as it was, `o`. */
interface Moments {
  readonly onCreate: string;
  readonly onUpdate: string;
}

export interface ChangeRules {
  /** Columns that follow from others, and no client gives. */
  readonly derived?: Readonly<Record<string, Moments>>;
  /** Events beside `created`, `updated` and `deleted`, and when they happen. */
  readonly events?: Readonly<Record<string, Moments>>;
  /** What a client can know it by, besides its id: with `$known_by` a change is made only where it still is that. */
  readonly knownBy?: { readonly column: string; readonly keyOf: (sql: string) => string };
  /** The table below it that puts tags on it: the input `tagIds` replaces the set. */
  readonly tags?: Table<{ id: bigint }>;
  /** The properties that constraints are about which are not called after their column. */
  readonly constraints?: Readonly<Record<string, string>>;
  /** It is part of what is shown of its parent, which is changed with it. */
  readonly touchesParent?: true;
  /**
   * How many of it a parent has at most, and the property that is to blame for one more. Where it does not touch its parent, some that
   * are created at the same moment may be beyond that.
   */
  readonly most?: { readonly perParent: number; readonly property: string };
  /** It has no events. */
  readonly silent?: true;
}
