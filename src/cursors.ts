// Positions in lists as text: ids, times, and the opaque cursors of GraphQL (DESIGN §6). Pure.
import { invalid } from './errors.ts';
import type { Sort } from './resources/resource.ts';

/** The greatest id that PostgreSQL can hold. */
export const MAX_ID = 2n ** 63n - 1n;

/** The position of a row in a list; `time` in one by time. */
interface Position {
  readonly id: bigint;
  readonly time?: Date;
}

/** An opaque cursor: the position of one row in lists of its kind, by id. */
export function encodeCursor(kind: string, id: bigint): string {
  return Buffer.from(`${kind}:${id}`).toString('base64url');
}

/** The position of one row in lists of its kind by `updatedAt`. */
export function encodeTimeCursor(kind: string, time: Date, id: bigint): string {
  return Buffer.from(`${kind}/updated_at:${time.toISOString()}:${id}`).toString('base64url');
}

/** Longer than any cursor of encodeTimeCursor. */
const MAX_CURSOR_CHARS = 160;

/**
 * The position in a cursor.
 * @throws AppError `invalid` for `field` when the text is not a cursor of this kind of list in this order
 */
export function decodeCursor(kind: string, cursor: string, field: string, sort: Sort = 'id'): Position {
  const text = cursor.length > MAX_CURSOR_CHARS ? '' : Buffer.from(cursor, 'base64url').toString();
  const position = sort === 'id' ? positionById(kind, text) : positionByTime(kind, text);
  // Base64 decoding is lenient: only the text is accepted that encoding gives, and that with the padding that libraries add.
  const encoded = position === null ? '' : encodePosition(kind, position);
  if (position === null || (cursor !== encoded && cursor !== padded(encoded)))
    throw invalid(field, `${field} is not a cursor of this list${sort === 'id' ? '' : ` by ${sort}`}.`);
  return position;
}

function positionById(kind: string, text: string): Position | null {
  const id = parseDigits(text.startsWith(`${kind}:`) ? text.slice(kind.length + 1) : '');
  return id === null ? null : { id };
}

function positionByTime(kind: string, text: string): Position | null {
  const prefix = `${kind}/updated_at:`;
  const end = text.lastIndexOf(':');
  const time = text.startsWith(prefix) ? toTime(text.slice(prefix.length, end)) : null;
  const id = parseDigits(text.slice(end + 1));
  return time === null || id === null ? null : { id, time };
}

function encodePosition(kind: string, { id, time }: Position): string {
  return time === undefined ? encodeCursor(kind, id) : encodeTimeCursor(kind, time, id);
}

/** Base64 with its padding (RFC 4648 §4). Its letters are those of base64url: no cursor has one that the two write differently. */
function padded(text: string): string {
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** Digits as a 64-bit id, leading zeros allowed; null for a larger number, and for any other text. */
export function parseDigits(digits: string): bigint | null {
  if (!/^\d+$/.test(digits)) return null;
  const significant = digits.replace(/^0+(?=\d)/, '');
  if (significant.length > 19) return null;
  const id = BigInt(significant);
  return id > MAX_ID ? null : id;
}

/** A time as `toISOString` writes those of the years 1 to 9999; null for any other text. */
export function toTime(text: string): Date | null {
  const time = /^(?!0000)\d{4}-[\d:.TZ-]+$/.test(text) ? new Date(text) : null;
  return time !== null && !Number.isNaN(time.getTime()) && time.toISOString() === text ? time : null;
}
