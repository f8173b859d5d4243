// The largest number in a column, found without decoding the smaller ones, and the latest time. Pure.
import { toDate } from '../resources/field-types.ts';
import { BlockRow, endOf, type RowBlock, textOf } from './row-block.ts';

/** The largest number in a field of some rows; null when it is null in all of them. The numbers must be integers and not negative. */
export function largest({ bytes, starts, width }: RowBlock, field: number): bigint | null {
  let best = -1;
  let digits = 0;
  for (let at = field; at < starts.length; at += width) {
    const start = starts[at] ?? -1;
    if (start < 0) continue;
    const length = endOf(bytes, start) - start;
    if (length < digits || (length === digits && !isLarger(bytes, start, best, digits))) continue;
    best = start;
    digits = length;
  }
  return best < 0 ? null : BigInt(bytes.toString('latin1', best, best + digits));
}

/** Whether the digits at one position are a larger number than those at another. */
function isLarger(bytes: Buffer, one: number, other: number, digits: number): boolean {
  for (let at = 0; at < digits; at++) {
    const difference = (bytes[one + at] ?? 0) - (bytes[other + at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** The latest time in a field of some rows, in milliseconds since 1970; 0 when it is null in all of them. */
export function latest(rows: RowBlock, field: number): number {
  const times = rows.map((block, index) => {
    const text = textOf(new BlockRow(block, index), field);
    return text === null ? 0 : toDate(text).getTime();
  });
  return Math.max(0, ...times);
}
