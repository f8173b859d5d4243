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

/** The records in the text from `start` up to `end`. @param width the number of fields of each */
export function readRecords(text: Buffer, start: number, end: number, width: number): RowBlock {
  reserve(end - start);
  const into = bytes;
  const first = fields;
  for (let at = start; at < end; ) {
    // Behind the opening parenthesis.
    at += 1;
    for (let field = 0; field < width; field++) {
      const opening = text[at];
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
        into[to++] = text[at] ?? 0;
      }
      if ((text[at] === CLOSE) !== (field === width - 1))
        throw new TypeError('A record has another number of fields');
      at += 1;
      // An empty text is quoted.
      if (to === from && opening !== QUOTE) {
        starts[fields++] = NULL_START;
        continue;
      }
      const length = to - from;
      into[used] = length >>> 24;
      into[used + 1] = length >>> 16;
      into[used + 2] = length >>> 8;
      into[used + 3] = length;
      starts[fields++] = from;
      used = to;
    }
  }
  return new RowBlock(into, starts, width, first, (fields - first) / width);
}

/** Ensures space for the records of so many characters: each field is at least one of them, and gets a length. */
function reserve(characters: number): void {
  if (fields + characters > starts.length) {
    starts = new Int32Array(Math.max(SHARED_FIELDS, characters));
    fields = 0;
  }
  const most = characters * (1 + LENGTH_BYTES);
  if (used + most <= bytes.length) return;
  bytes = Buffer.allocUnsafeSlow(Math.max(SHARED_BYTES, most));
  used = 0;
}
