// What each noun's part of the demo is handed.

import { drawIds } from '../changing/ids.ts';
import type { Random } from '../seed/random.ts';
import type { PublicIdTable } from '../sql/public-ids.ts';
import type { Transaction } from '../store.ts';
import { type Named, zip } from './named.ts';

/** What the parts share while the demo is inserted, in one transaction. */
export interface Demo {
  readonly tx: Transaction;
  readonly random: Random;
  /** A moment that many days before the seeding, to the millisecond; dates are spread by `random`. */
  daysAgo(days: number): Date;
}

/** A row to insert: what it is made from, and the columns that every table has. */
export interface NewRow<Data> {
  readonly id: bigint;
  readonly data: Data;
  readonly columns: { id: bigint; workspaceId: bigint; createdAt: Date; updatedAt: Date };
}

/** The rows of a table, with ids in the order of the data. @param madeAt when each was made, by its place or its data */
export async function newRows<Data>(
  { tx }: Demo,
  table: PublicIdTable,
  workspaceId: bigint,
  all: readonly Data[],
  madeAt: (index: number, data: Data) => Date,
): Promise<NewRow<Data>[]> {
  return zip(await drawIds(tx, table, all.length), all).map(([id, data], index) => {
    const createdAt = madeAt(index, data);
    return { id, data, columns: { id, workspaceId, createdAt, updatedAt: createdAt } };
  });
}

/** The ids of rows by the names in their data. */
export function idsByName(rows: readonly NewRow<{ readonly name: string }>[]): Named {
  return new Map(rows.map(({ id, data }) => [data.name, id]));
}
