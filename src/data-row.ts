// A row as PostgreSQL's wire has it (protocol message DataRow): one string, a character a byte, cut into fields when
// somebody asks. A row that waits for others costs one string, not one a column. Pure.

import { type Bytes, encodeUtf8 } from './bytes.ts';

/** The fields of a row behind each other, each behind its length in four bytes; -1 is null. */
export type DataRow = Bytes;

const LENGTH_BYTES = 4;

/** A place in a row. It remembers where the last field was: fields asked for in their order are found at once. */
export class FieldReader {
  readonly #row: DataRow;
  #index = 0;
  #offset = 0;

  constructor(row: DataRow) {
    this.#row = row;
  }

  /** The bytes of a field by its place in the select list; null where the column is. */
  static fieldOf(this: void, reader: FieldReader, index: number): Bytes | null {
    const start = FieldReader.startOf(reader, index);
    return start < 0 ? null : reader.#row.slice(start, endOf(reader.#row, start));
  }

  /** Where in its row a field's bytes begin; -1 where the column is null. */
  static startOf(this: void, reader: FieldReader, index: number): number {
    const offset = FieldReader.#find(reader, index);
    return lengthAt(reader.#row, offset) < 0 ? -1 : offset + LENGTH_BYTES;
  }

  /** Whether some fields that follow each other, `to` not among them, are the same in two rows. */
  static isSame(this: void, one: FieldReader, other: FieldReader, from: number, to: number): boolean {
    const start = FieldReader.#find(one, from);
    const end = FieldReader.#find(one, to);
    const distance = FieldReader.#find(other, from) - start;
    if (FieldReader.#find(other, to) !== end + distance) return false;
    for (let i = start; i < end; i++) {
      if (one.#row.charCodeAt(i) !== other.#row.charCodeAt(i + distance)) return false;
    }
    return true;
  }

  static rowOf(this: void, reader: FieldReader): DataRow {
    return reader.#row;
  }

  static #find(reader: FieldReader, index: number): number {
    const row = reader.#row;
    let offset = reader.#offset;
    let at = reader.#index;
    if (index < at) {
      offset = 0;
      at = 0;
    }
    for (; at < index; at++) offset += LENGTH_BYTES + Math.max(lengthAt(row, offset), 0);
    reader.#index = at;
    reader.#offset = offset;
    return offset;
  }
}

export const { fieldOf, isSame, rowOf, startOf } = FieldReader;

/** Where the field ends whose bytes begin at `start`. */
export function endOf(row: DataRow, start: number): number {
  return start + lengthAt(row, start - LENGTH_BYTES);
}

function lengthAt(row: DataRow, offset: number): number {
  return (
    (row.charCodeAt(offset) << 24) |
    (row.charCodeAt(offset + 1) << 16) |
    (row.charCodeAt(offset + 2) << 8) |
    row.charCodeAt(offset + 3)
  );
}

/** A row of these texts, as the wire would have it. */
export function toDataRow(fields: readonly (string | null)[]): DataRow {
  return fields
    .map((field) => {
      const bytes = encodeUtf8(field ?? '');
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeInt32BE(field === null ? -1 : bytes.length);
      return length.toString('latin1') + bytes;
    })
    .join('');
}
