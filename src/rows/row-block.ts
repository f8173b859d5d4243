// Rows as PostgreSQL's wire has them (DataRow messages): all rows of one answer are one buffer, with a list of where their
// fields begin. Fields are cut out of it when somebody asks. Pure.
import { ByteWriter } from './byte-writer.ts';

/** The rows of one answer. */
export class RowBlock {
  readonly bytes: Buffer;
  /** Where in the bytes the fields begin, row by row; negative where they are null. */
  readonly starts: Int32Array;
  /** How many fields a row has. */
  readonly width: number;

  constructor(bytes: Buffer, starts: Int32Array, width: number) {
    this.bytes = bytes;
    this.starts = starts;
    this.width = width;
  }

  /** How many rows there are. */
  get length(): number {
    return this.width === 0 ? 0 : this.starts.length / this.width;
  }

  /** What `make` makes of each row. */
  map<Row>(make: (block: RowBlock, index: number) => Row): Row[] {
    const { length } = this;
    const rows: Row[] = [];
    for (let index = 0; index < length; index++) rows.push(make(this, index));
    return rows;
  }
}

export const NO_ROWS = new RowBlock(Buffer.alloc(0), new Int32Array(0), 0);

/** One row of a block. */
export class BlockRow {
  readonly #block: RowBlock;
  /** The place of its first field in the block's list. */
  readonly #first: number;

  constructor(block: RowBlock, index: number) {
    this.#block = block;
    this.#first = index * block.width;
  }

  /** The block's bytes. */
  static bytesOf(this: void, row: BlockRow): Buffer {
    return row.#block.bytes;
  }

  /** Where in the block's bytes a field begins; negative where it is null. */
  static startOf(this: void, row: BlockRow, field: number): number {
    return row.#block.starts[row.#first + field] ?? NOWHERE;
  }
}

export const { bytesOf, startOf } = BlockRow;

/** Before each field stands its length; -1 says that it is null. */
const LENGTH_BYTES = 4;
const NOWHERE = -1;
const WIDTH_BYTES = 2;

/** Where the field ends that begins at `start`. */
export function endOf(bytes: Buffer, start: number): number {
  return start + lengthAt(bytes, start - LENGTH_BYTES);
}

/** A field's bytes as text; null where it is null. */
export function textOf(row: BlockRow, field: number): string | null {
  const start = startOf(row, field);
  const bytes = bytesOf(row);
  return start < 0 ? null : bytes.toString('utf8', start, endOf(bytes, start));
}

/** Whether the fields `from` to `to`, the last one not among them, are the same in two rows. */
export function isSame(one: BlockRow, other: BlockRow, from: number, to: number): boolean {
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
    // The lengths in front are compared along.
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
/** A list that had to grow beyond this begins small again. */
const KEPT_FIELDS = 256 * 1024;

/** Gathers the rows of one answer after the other. */
export class RowCollector {
  readonly #bytes = new ByteWriter();
  #starts = new Int32Array(INITIAL_FIELDS);
  #fields = 0;
  #width = 0;

  /** Adds a row: what stands in a DataRow message behind its length. */
  add(message: Buffer, start: number, end: number): void {
    const width = ((message[start] ?? 0) << 8) | (message[start + 1] ?? 0);
    this.#reserve(width);
    const starts = this.#starts;
    let at = start + WIDTH_BYTES;
    // From a place in the message to the same one behind the rows that are there.
    const distance = this.#bytes.length - at;
    this.#bytes.addPart(message, at, end);
    for (let field = 0; field < width; field++) {
      const length = lengthAt(message, at);
      at += LENGTH_BYTES;
      starts[this.#fields++] = length < 0 ? NOWHERE : at + distance;
      if (length > 0) at += length;
    }
    this.#width = width;
  }

  /** The rows since the last call. */
  take(): RowBlock {
    if (this.#fields === 0) return NO_ROWS;
    const block = new RowBlock(this.#bytes.toBuffer(), this.#starts.slice(0, this.#fields), this.#width);
    this.#bytes.clear();
    this.#fields = 0;
    if (this.#starts.length > KEPT_FIELDS) this.#starts = new Int32Array(INITIAL_FIELDS);
    return block;
  }

  #reserve(fields: number): void {
    if (this.#fields + fields <= this.#starts.length) return;
    const larger = new Int32Array(Math.max(this.#fields + fields, this.#starts.length * 2));
    larger.set(this.#starts);
    this.#starts = larger;
  }
}
