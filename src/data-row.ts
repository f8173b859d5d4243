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
    const length = lengthAt(row, offset);
    const start = offset + LENGTH_BYTES;
    return length < 0 ? null : row.slice(start, start + length);
  }
}

export const { fieldOf } = FieldReader;

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
