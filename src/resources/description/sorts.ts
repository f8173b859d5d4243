// The orders that lists can have.
import type { FieldType } from './field-types.ts';

/** The properties other than the id by which lists can be ordered, with the types of their values. */
export const SORT_TYPES = {
  createdAt: 'timestamp',
  updatedAt: 'timestamp',
  publishedAt: 'timestamp',
  name: 'text',
  emailAddress: 'text',
  orderNumber: 'int4',
  totalAmount: 'decimal',
  position: 'int4',
  sortOrder: 'int4',
} as const satisfies Readonly<Record<string, FieldType>>;

/** The orders of lists. Rows with the same value are ordered by id. */
export type Sort = 'id' | keyof typeof SORT_TYPES;

/** The value by which a row is ordered. Null comes before all others. */
export type SortValue = Date | string | number | null;

/** Whether a list in this order never skips a row that is committed late: such a row may have any value of the others. */
export function isGapless(sort: Sort): boolean {
  return sort === 'id' || sort === 'updatedAt';
}
