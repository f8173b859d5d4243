// Rows in PostgreSQL's wire format (DataRow messages): all rows of one result are one buffer, with a list of the offsets at which their
// fields start. Fields are decoded on access. Pure.
import { ByteWriter } from './byte-writer.ts';

/** The rows of one result. */
export class RowBlock {
  /** The fields of the rows, each preceded by its length; then free space. */
  bytes: Buffer;
  #used: number;
  /** The offset of each field in the bytes, row by row; negative where it is null. */
  readonly starts: Int32Array;
  /** The number of fields of a row. */
  readonly width: number;
  /** The index in `starts` of the first row's first field, and the number of rows. */
  readonly first: number;
  readonly length: number;

  /** @param first the index in `starts` of the first row's first field, if `starts` has other blocks' fields too; @param length the number of rows then */
  constructor(
    bytes: Buffer,
    starts: Int32Array,
    width: number,
    first = 0,
    length = width && starts.length / width,
  ) {
    this.bytes = bytes;
    this.#used = bytes.length;
    this.starts = starts;
    this.width = width;
    this.first = first;
    this.length = length;
  }

  /** Appends a field. @returns its offset */
  append(text: string): number {
    const length = Buffer.byteLength(text);
    const start = this.#used + LENGTH_BYTES;
    if (start + length > this.bytes.length) {
      const larger = Buffer.allocUnsafe(2 * (start + length));
      this.bytes.copy(larger, 0, 0, this.#used);
      this.bytes = larger;
    }
    this.bytes.writeInt32BE(length, start - LENGTH_BYTES);
    this.bytes.write(text, start);
    this.#used = start + length;
    return start;
  }

  /** Calls `make` for each row. */
  map<Row>(make: (block: RowBlock, index: number) => Row): Row[] {
    const { length } = this;
    const rows: Row[] = [];
    for (let index = 0; index < length; index++) rows.push(make(this, index));
    return rows;
  }
}

export const NO_ROWS = new RowBlock(Buffer.alloc(0), new Int32Array(0), 0);
/** Replaces rows that together exceeded the maximum size and were dropped. */
export const TOO_LARGE = new RowBlock(Buffer.alloc(0), new Int32Array(0), 0);

/** One row of a block. */
export class BlockRow {
  readonly #block: RowBlock;
  /** The index of the row's first field in `starts`. */
  readonly #first: number;

  constructor(block: RowBlock, index: number) {
    this.#block = block;
    this.#first = block.first + index * block.width;
  }

  /** The block that holds the row. */
  static blockOf(this: void, row: BlockRow): RowBlock {
    return row.#block;
  }

  /** The index of the row in its block. */
  static indexOf(this: void, row: BlockRow): number {
    const block = row.#block;
    return (row.#first - block.first) / block.width;
  }

  /** The index of the row's first field in the block's `starts`. */
  static firstOf(this: void, row: BlockRow): number {
    return row.#first;
  }

  /** The bytes of the row's block. */
  static bytesOf(this: void, row: BlockRow): Buffer {
    return row.#block.bytes;
  }

  /** The offset of a field in the block's bytes; negative where it is null. */
  static startOf(this: void, row: BlockRow, field: number): number {
    return row.#block.starts[row.#first + field] ?? NULL_START;
  }

  /** Replaces the text of a field that is not null. */
  static setField(this: void, row: BlockRow, field: number, text: string): void {
    const { bytes, starts } = row.#block;
    const start = startOf(row, field);
    const length = Buffer.byteLength(text);
    if (length > endOf(bytes, start) - start) {
      starts[row.#first + field] = row.#block.append(text);
      return;
    }
    bytes.write(text, start);
    bytes.writeInt32BE(length, start - LENGTH_BYTES);
  }

  /** Makes a field null. */
  static clearField(this: void, row: BlockRow, field: number): void {
    row.#block.starts[row.#first + field] = NULL_START;
  }
}

export const { blockOf, indexOf, firstOf, bytesOf, startOf, clearField, setField } = BlockRow;

/** Each field is preceded by its length, which is -1 for null. */
const LENGTH_BYTES = 4;
const NULL_START = -1;
const WIDTH_BYTES = 2;

/** The end of the field that starts at `start`. */
export function endOf(bytes: Buffer, start: number): number {
  return start + lengthAt(bytes, start - LENGTH_BYTES);
}

/** A field's bytes as text; null where it is null. */
export function textOf(row: BlockRow, field: number): string | null {
  const start = startOf(row, field);
  const bytes = bytesOf(row);
  return start < 0 ? null : bytes.toString('utf8', start, endOf(bytes, start));
}

/** Whether the fields from `from` up to `to`, exclusive, are equal in two rows. */
export function equalFields(one: BlockRow, other: BlockRow, from: number, to: number): boolean {
  const bytes = bytesOf(one);
  const otherBytes = bytesOf(other);
  for (let field = from; field < to; field++) {
    const start = startOf(one, field);
    const otherStart = startOf(other, field);
    if (start < 0 || otherStart < 0) {
      if (start !== otherStart) return false;
      continue;
    }
    const distance = otherStart - start;
    // Includes the lengths that precede the fields.
    const end = endOf(bytes, start);
    for (let at = start - LENGTH_BYTES; at < end; at++) {
      if (bytes[at] !== otherBytes[at + distance]) return false;
    }
  }
  return true;
}

function lengthAt(bytes: Buffer, at: number): number {
  return (
    ((bytes[at] ?? 0) << 24) |
    ((bytes[at + 1] ?? 0) << 16) |
    ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0)
  );
}

const INITIAL_FIELDS = 1024;
/** `take` replaces a larger list by a small one. */
const MAX_REUSED_FIELDS = 256 * 1024;

/** Collects the rows of a result message by message. */
export class RowCollector {
  readonly #bytes = new ByteWriter();
  readonly #maxBytes: number;
  #isTooLarge = false;
  #starts = new Int32Array(INITIAL_FIELDS);
  #fields = 0;
  #width = 0;

  /** @param maxBytes of one result */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a row: the body of a DataRow message, without its length. */
  add(message: Buffer, start: number, end: number): void {
    if (this.#bytes.length + end - start > this.#maxBytes) this.#isTooLarge = true;
    if (this.#isTooLarge) return;
    const width = ((message[start] ?? 0) << 8) | (message[start + 1] ?? 0);
    this.#reserve(width);
    const starts = this.#starts;
    let at = start + WIDTH_BYTES;
    // The difference between an offset in the collected bytes and one in the message.
    const distance = this.#bytes.length - at;
    this.#bytes.addPart(message, at, end);
    for (let field = 0; field < width; field++) {
      const length = lengthAt(message, at);
      at += LENGTH_BYTES;
      starts[this.#fields++] = length < 0 ? NULL_START : at + distance;
      if (length > 0) at += length;
    }
    this.#width = width;
  }

  /** The rows collected since the last call; `TOO_LARGE` when they exceeded the maximum size. */
  take(): RowBlock {
    const block = this.#isTooLarge
      ? TOO_LARGE
      : this.#fields === 0
        ? NO_ROWS
        : new RowBlock(this.#bytes.toBuffer(), this.#starts.slice(0, this.#fields), this.#width);
    this.#bytes.clear();
    this.#fields = 0;
    this.#isTooLarge = false;
    if (this.#starts.length > MAX_REUSED_FIELDS) this.#starts = new Int32Array(INITIAL_FIELDS);
    return block;
  }

  #reserve(fields: number): void {
    if (this.#fields + fields <= this.#starts.length) return;
    const larger = new Int32Array(Math.max(this.#fields + fields, this.#starts.length * 2));
    larger.set(this.#starts);
    this.#starts = larger;
  }
}

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
