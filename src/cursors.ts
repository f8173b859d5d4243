// Positions in lists as text: ids, the values by which lists are ordered, and GraphQL's opaque cursors. Pure.
import { invalid } from './errors.ts';
import { toSnakeCase } from './resources/description/names.ts';
import { SORT_TYPES, type Sort, type SortValue } from './resources/description/sorts.ts';

/** The greatest id in PostgreSQL (int8). */
export const MAX_ID = 2n ** 63n - 1n;

/** The position of a row in a list; with `value` unless the list is ordered by id. */
interface Position {
  readonly id: bigint;
  readonly value?: SortValue;
}

/** Encodes the position of a row in lists of this kind, as an opaque cursor. @param value of the row, unless the list is ordered by id */
export function encodeCursor(kind: string, id: bigint, sort: Sort = 'id', value: SortValue = null): string {
  const place = sort === 'id' ? `${id}` : `${textOfSortValue(value)}:${id}`;
  return Buffer.from(`${prefixOf(kind, sort)}${place}`).toString('base64url');
}

function prefixOf(kind: string, sort: Sort): string {
  return sort === 'id' ? `${kind}:` : `${kind}/${toSnakeCase(sort)}:`;
}

/** The most characters of a text by which a list is ordered: names and addresses are shorter. */
export const MAX_SORT_CHARS = 500;

/** No cursor is longer: a character of text has at most four bytes. */
const MAX_CURSOR_CHARS = 160 + Math.ceil((MAX_SORT_CHARS * 4 * 4) / 3);
/** Encodes the position of a row in a list that has an order of its own, as an opaque cursor. @param place its index */
export function encodePlaceCursor(kind: string, place: number, id: bigint): string {
  return Buffer.from(`${kind}/place:${place}:${id}`).toString('base64url');
}

/**
 * The position in a cursor of `encodePlaceCursor`.
 * @throws AppError `invalid` for `field` when the text is no such cursor of this kind of list
 */
export function decodePlaceCursor(
  kind: string,
  cursor: string,
  field: string,
): { readonly place: number; readonly id: bigint } {
  const text = cursor.length > MAX_CURSOR_CHARS ? '' : Buffer.from(cursor, 'base64url').toString();
  const [, place = '', digits = ''] = new RegExp(`^${kind}/place:(\\d{1,9}):(\\d+)$`).exec(text) ?? [];
  const id = parseDigits(digits);
  const encoded = id === null ? '' : encodePlaceCursor(kind, Number(place), id);
  if (id === null || (cursor !== encoded && cursor !== padded(encoded))) throw invalid(field, NO_CURSOR);
  return { place: Number(place), id };
}

const NO_CURSOR = {
  code: 'invalid_format',
  message: 'is not a cursor of this list. Use one from its edges or pageInfo',
} as const;

/**
 * The position in a cursor.
 * @throws AppError `invalid` for `field` when the text is not a cursor of this kind of list in this order
 */
export function decodeCursor(kind: string, cursor: string, field: string, sort: Sort = 'id'): Position {
  const text = cursor.length > MAX_CURSOR_CHARS ? '' : Buffer.from(cursor, 'base64url').toString();
  const position = parsePosition(prefixOf(kind, sort), text, sort);
  // Base64 decoding is lenient: accept only the exact encoding, with or without the padding that some libraries add.
  const encoded = position === null ? '' : encodeCursor(kind, position.id, sort, position.value);
  if (position === null || (cursor !== encoded && cursor !== padded(encoded)))
    throw invalid(field, {
      code: 'invalid_format',
      message: `is not a cursor of this list${sort === 'id' ? '' : ` by ${sort}`}. Use one from its edges or pageInfo`,
    });
  return position;
}

function parsePosition(prefix: string, text: string, sort: Sort): Position | null {
  if (!text.startsWith(prefix)) return null;
  const place = text.slice(prefix.length);
  const end = place.lastIndexOf(':');
  const id = parseDigits(place.slice(end + 1));
  if (sort === 'id') return id === null || end >= 0 ? null : { id };
  const value = end < 0 ? undefined : parseSortValue(sort, place.slice(0, end));
  return id === null || value === undefined ? null : { id, value };
}

/** The text of a value, in cursors and URLs; empty for null. */
export function textOfSortValue(value: SortValue): string {
  if (value === null) return '';
  return value instanceof Date ? value.toISOString() : String(value);
}

/** Parses the text of a value; undefined for any other text. */
export function parseSortValue(sort: Exclude<Sort, 'id'>, text: string): SortValue | undefined {
  switch (SORT_TYPES[sort]) {
    case 'timestamp':
      return toTime(text) ?? undefined;
    case 'int4':
      if (text === '') return null;
      return /^-?\d{1,10}$/.test(text) && Math.abs(Number(text)) < 2 ** 31 ? Number(text) : undefined;
    case 'decimal':
      return /^-?\d{1,30}(?:\.\d{1,30})?$/.test(text) ? text : undefined;
    case 'text':
      if (text === '') return null;
      return text.length <= MAX_SORT_CHARS && text.isWellFormed() && !text.includes('\0') ? text : undefined;
  }
}

/** The cursor with Base64 padding (RFC 4648 §4). Some libraries add it. */
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
function toTime(text: string): Date | null {
  const time = /^(?!0000)\d{4}-[\d:.TZ-]+$/.test(text) ? new Date(text) : null;
  return time !== null && !Number.isNaN(time.getTime()) && time.toISOString() === text ? time : null;
}
