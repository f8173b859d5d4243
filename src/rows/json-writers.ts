// Writers from the bytes of a column's text to its JSON. Pure.
import { parse as parseArray } from 'postgres-array';
import type { FieldType } from '../resources/resource.ts';
import type { ByteWriter } from './byte-writer.ts';
import { isText, TRUE, toDate } from './decoders.ts';

const QUOTE = 0x22;

/** Adds a column's bytes, from `start` up to `end`, as JSON. */
export type WriteJson = (out: ByteWriter, bytes: Buffer, start: number, end: number) => void;

/** Writes JSON made from the column's text. */
const writeText =
  (toJson: (text: string) => string): WriteJson =>
  (out, bytes, start, end) =>
    out.addText(toJson(bytes.toString('utf8', start, end)));

const copy: WriteJson = (out, bytes, start, end) => out.addPart(bytes, start, end);

/** Writers by column type: the JSON of the decoded value, without decoding where the bytes are that JSON already. */
export const WRITE_JSON: Record<FieldType, WriteJson> = {
  int8: copy,
  int4: copy,
  text: writeString,
  enum: writeString,
  bool: (out, bytes, start) => out.addText(bytes[start] === TRUE ? 'true' : 'false'),
  timestamp: writeTimestamp,
  jsonb(out, bytes, start, end) {
    // {} and [] contain no spaces.
    if (end - start <= 2) out.addPart(bytes, start, end);
    else addCompact(out, bytes, start, end);
  },
  json: copy,
  'text[]': writeText((text) => JSON.stringify(parseArray(text))),
  'int8[]': writeText((text) => `[${text.slice(1, -1)}]`),
};

function writeString(out: ByteWriter, bytes: Buffer, start: number, end: number): void {
  if (!out.addUnescaped(bytes, start, end)) out.addText(JSON.stringify(bytes.toString('utf8', start, end)));
}

const SPACE = 0x20;
const BACKSLASH = 0x5c;

/** Adds jsonb without the spaces that PostgreSQL puts between its tokens. Numbers keep all their digits. */
function addCompact(out: ByteWriter, bytes: Buffer, start: number, end: number): void {
  let from = start;
  let isInString = false;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (isInString && byte === BACKSLASH) at += 1;
    else if (byte === QUOTE) isInString = !isInString;
    else if (byte === SPACE && !isInString) {
      out.addPart(bytes, from, at);
      from = at + 1;
    }
  }
  out.addPart(bytes, from, end);
}

/** Adds the text of a JSON value without the spaces between its tokens. */
export function addCompactText(out: ByteWriter, json: string): void {
  const bytes = Buffer.from(json);
  addCompact(out, bytes, 0, bytes.length);
}

/** The lengths of PostgreSQL's date, and of date and time to the second; the offset of a session in UTC. */
const DATE_LENGTH = 10;
const SECONDS_LENGTH = 19;
const UTC = '+00';
/** What extends a fraction of a second to milliseconds in UTC, by the length of PostgreSQL's fraction including its point. */
const FRACTION = ['.000Z"', null, '00Z"', '0Z"', 'Z"'].map((end) => end && Buffer.from(end));
const T = 0x54;

/**
 * Writes `2026-11-20 11:13:29.16+00` as `2026-11-20T11:13:29.160Z`: copied where the session is in UTC, else parsed. The store's
 * columns are of the years 1 to 9999, with milliseconds.
 */
function writeTimestamp(out: ByteWriter, bytes: Buffer, start: number, end: number): void {
  const zone = end - UTC.length;
  const fraction = isText(UTC, bytes, zone, end) ? FRACTION[zone - start - SECONDS_LENGTH] : null;
  if (!fraction) {
    out.addText(JSON.stringify(toDate(bytes.toString('latin1', start, end))));
    return;
  }
  out.addByte(QUOTE);
  const at = out.length;
  out.addPart(bytes, start, zone);
  out.setByte(at + DATE_LENGTH, T);
  out.add(fraction);
}
