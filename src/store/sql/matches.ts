// How filters and saved filters compare the rows of a table with values.

/** How to compare a row `t` with a value. */
export type Match =
  /**
   * By an expression over the row. @param keyOf the SQL to compare with, from the SQL of a value
   * @param start a faster expression with the same beginning, for prefixes
   * @param ordered the key in the order of code points, as its index has it
   */
  | {
      readonly key: string;
      readonly keyOf?: (value: string) => string;
      readonly start?: string;
      readonly ordered?: string;
    }
  /** By whether a column has a value. */
  | { readonly set: string }
  /**
   * By rows of another table in the workspace. @param row its column with the row’s id @param value its column with the value
   * @param where the condition on its rows, which begins with a column; absent: all rows
   * @param mayBeGone whether its rows may name rows that do not exist
   * @param repeats whether several of its rows may pair a row with the same value
   * @param isUnordered no index has the pairs of a value, so that a page reads all of them
   */
  | {
      readonly table: string;
      readonly row: string;
      readonly value: string;
      readonly where?: string;
      readonly repeats?: true;
      readonly isUnordered?: true;
      readonly mayBeGone?: true;
    };

/** Compares by the rows of another table. */
export type PairMatch = Extract<Match, { table: string }>;
