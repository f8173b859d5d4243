// Reads rows inside a column: from PostgreSQL's text of one or more records, such as `(1,"a, b",)(2,c,"")`, it makes a block of rows like
// that of a result. Pure.
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

/** Consecutive blocks share these buffers, because blocks are small and many. A used part is never written again. */
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
    // Skips the opening parenthesis.
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
        // An escaped character is doubled, or follows a backslash.
        if (byte === QUOTE || byte === BACKSLASH) at += 1;
        into[to++] = text[at] ?? 0;
      }
      if ((text[at] === CLOSE) !== (field === width - 1))
        throw new TypeError('A record has another number of fields');
      at += 1;
      // Null is an empty field without quotes; an empty text has quotes.
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

/** Ensures space for records with this many characters. Each field takes at least one character, and gets a length. */
function reserve(characters: number): void {
  if (fields + characters > starts.length) {
    starts = new Int32Array(Math.max(SHARED_FIELDS, characters));
    fields = 0;
  }
  const maxBytes = characters * (1 + LENGTH_BYTES);
  if (used + maxBytes <= bytes.length) return;
  bytes = Buffer.allocUnsafeSlow(Math.max(SHARED_BYTES, maxBytes));
  used = 0;
}
