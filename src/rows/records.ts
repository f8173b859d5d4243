// Rows inside a column: PostgreSQL's text of one or more records, such as `(1,"a, b",)(2,c,"")`, becomes a block of rows like those of a
// result. Pure.
import { RowBlock } from './row-block.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const CLOSE = 0x29;
const BACKSLASH = 0x5c;
/** As in row-block.ts. */
const LENGTH_BYTES = 4;
const NULL_START = -1;

const SHARED_BYTES = 64 * 1024;
const SHARED_FIELDS = 8 * 1024;

/** Blocks are small and many: those that are read after each other share these. What is used is never written again. */
let bytes = Buffer.allocUnsafeSlow(0);
let starts = new Int32Array(0);
let used = 0;
let fields = 0;

/**
 * The records in the text from `start` up to `end`.
 * @param shape of each field the number of fields of the record in it, which come in its place; 0: it is none
 */
export function readRecords(text: Buffer, start: number, end: number, shape: readonly number[]): RowBlock {
  reserve(end - start);
  const first = fields;
  let length = 0;
  for (let at = start; at < end; length++) at = readRecord(text, at, end, shape);
  return new RowBlock(bytes, starts, length === 0 ? 0 : (fields - first) / length, first, length);
}

/** The number of fields of a record of this shape. */
export function widthOf(shape: readonly number[]): number {
  return shape.reduce((width, inner) => width + (inner || 1), 0);
}

/** Reads the record that begins at an offset. @returns the offset behind it */
function readRecord(text: Buffer, start: number, end: number, shape: readonly number[]): number {
  const collected = bytes;
  // Behind the opening parenthesis.
  let at = start + 1;
  for (let field = 0; field < shape.length; field++) {
    const inner = shape[field] ?? 0;
    const first = text[at];
    if (first === COMMA || first === CLOSE) {
      for (let none = inner || 1; none > 0; none--) starts[fields++] = NULL_START;
      at += 1;
      continue;
    }
    const from = used + LENGTH_BYTES;
    let to = from;
    let isQuoted = false;
    for (; ; at++) {
      if (at >= end) throw new TypeError('A record has no end');
      const byte = text[at] ?? 0;
      if (byte === QUOTE && !(isQuoted && text[at + 1] === QUOTE)) {
        isQuoted = !isQuoted;
        continue;
      }
      if (!isQuoted && (byte === COMMA || byte === CLOSE)) break;
      // What is escaped is written twice, or behind a backslash.
      if (byte === QUOTE || byte === BACKSLASH) at += 1;
      collected[to++] = text[at] ?? 0;
    }
    at += 1;
    const length = to - from;
    used = to;
    if (inner > 0) {
      readRecord(collected, from, to, plain(inner));
      continue;
    }
    collected[from - 4] = length >>> 24;
    collected[from - 3] = length >>> 16;
    collected[from - 2] = length >>> 8;
    collected[from - 1] = length;
    starts[fields++] = from;
  }
  return at;
}

const plainShapes: (readonly number[])[] = [];
/** The shape of a record of so many fields without records in them. */
function plain(width: number): readonly number[] {
  const shape = plainShapes[width] ?? Array.from<number>({ length: width }).fill(0);
  plainShapes[width] = shape;
  return shape;
}

/** Ensures space for the records of so many characters: each field is at least one of them and gets a length, and may be read twice. */
function reserve(characters: number): void {
  if (fields + characters > starts.length) {
    starts = new Int32Array(Math.max(SHARED_FIELDS, characters));
    fields = 0;
  }
  const most = 2 * characters * (1 + LENGTH_BYTES);
  if (used + most <= bytes.length) return;
  bytes = Buffer.allocUnsafeSlow(Math.max(SHARED_BYTES, most));
  used = 0;
}
