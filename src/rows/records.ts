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

/** What a block is collected in, reused. */
let bytes = Buffer.allocUnsafeSlow(0);
let starts = new Int32Array(0);

/** The records in the text from `start` up to `end`. @param width the number of fields of each */
export function readRecords(text: Buffer, start: number, end: number, width: number): RowBlock {
  reserve(end - start);
  const collected = bytes;
  let at = start;
  let used = 0;
  let fields = 0;
  while (at < end) {
    // Behind the opening parenthesis.
    at += 1;
    for (let field = 0; field < width; field++) {
      const first = text[at];
      if (first === COMMA || first === CLOSE) {
        starts[fields++] = NULL_START;
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
      collected[used] = length >>> 24;
      collected[used + 1] = length >>> 16;
      collected[used + 2] = length >>> 8;
      collected[used + 3] = length;
      starts[fields++] = from;
      used = to;
    }
  }
  const own = Buffer.allocUnsafe(used);
  collected.copy(own, 0, 0, used);
  return new RowBlock(own, starts.slice(0, fields), width);
}

/** Ensures space for the records of so many characters: each field is at least one of them, and gets a length. */
function reserve(characters: number): void {
  if (characters <= starts.length) return;
  starts = new Int32Array(2 * characters);
  bytes = Buffer.allocUnsafeSlow(2 * characters * (1 + LENGTH_BYTES));
}
