// Positions in lists as text: ids, times, and GraphQL's opaque cursors. Pure.
import { invalid } from './errors.ts';
import type { Sort } from './resources/resource.ts';

/** The greatest id in PostgreSQL (int8). */
export const MAX_ID = 2n ** 63n - 1n;

/** The position of a row in a list; with `time` if the list is ordered by time. */
interface Position {
  readonly id: bigint;
  readonly time?: Date;
}

/** Encodes the position of a row in lists of this kind, ordered by id, as an opaque cursor. */
export function encodeCursor(kind: string, id: bigint): string {
  return Buffer.from(`${kind}:${id}`).toString('base64url');
}

/** Encodes the position of a row in lists of this kind, ordered by `updatedAt`, as an opaque cursor. */
export function encodeTimeCursor(kind: string, time: Date, id: bigint): string {
  return Buffer.from(`${kind}/updated_at:${time.toISOString()}:${id}`).toString('base64url');
}

/** No cursor of encodeTimeCursor is longer. */
const MAX_CURSOR_CHARS = 160;

/**
 * The position in a cursor.
 * @throws AppError `invalid` for `field` when the text is not a cursor of this kind of list in this order
 */
export function decodeCursor(kind: string, cursor: string, field: string, sort: Sort = 'id'): Position {
  const text = cursor.length > MAX_CURSOR_CHARS ? '' : Buffer.from(cursor, 'base64url').toString();
  const position = sort === 'id' ? positionById(kind, text) : positionByTime(kind, text);
  // Base64 decoding is lenient: accept only the exact encoding, with or without the padding that some libraries add.
  const encoded = position === null ? '' : encodePosition(kind, position);
  if (position === null || (cursor !== encoded && cursor !== padded(encoded)))
    throw invalid(field, {
      code: 'invalid_format',
      message: `is not a cursor of this list${sort === 'id' ? '' : ` by ${sort}`}. Use one from its edges or pageInfo`,
    });
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

/** The cursor with Base64 padding (RFC 4648 §4). Base64 and base64url are equal here: no cursor has a character that differs. */
function padded(text: string): string {
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** Parses digits as a 64-bit id, with leading zeros allowed; null for a larger number and for any other text. */
export function parseDigits(digits: string): bigint | null {
  if (!/^\d+$/.test(digits)) return null;
  const significant = digits.replace(/^0+(?=\d)/, '');
  if (significant.length > 19) return null;
  const id = BigInt(significant);
  return id > MAX_ID ? null : id;
}

/** Parses a time in the format of `toISOString`, for the years 1 to 9999; null for any other text. */
export function toTime(text: string): Date | null {
  const time = /^(?!0000)\d{4}-[\d:.TZ-]+$/.test(text) ? new Date(text) : null;
  return time !== null && !Number.isNaN(time.getTime()) && time.toISOString() === text ? time : null;
}
