// Writers from the bytes of a column's text to its JSON. Pure.
import { FIELD_TYPES, type FieldType, toDate, typeOf } from '../resources/description/field-types.ts';
import type { ByteWriter } from './byte-writer.ts';
import { isText, TRUE } from './decoders.ts';

const QUOTE = 0x22;

/** Adds a column's bytes, from `start` up to `end`, as JSON. */
export type WriteJson = (out: ByteWriter, bytes: Buffer, start: number, end: number) => void;

/** Writes JSON made from the column's text. */
const writeText =
  (toJson: (text: string) => string): WriteJson =>
  (out, bytes, start, end) =>
    out.addText(toJson(bytes.toString('utf8', start, end)));

/** A writer that replaces each listed text by other JSON. @throws TypeError for any other text */
export function writeInstead(jsonOf: ReadonlyMap<string, string>): WriteJson {
  const entries = [...jsonOf].map(([text, json]) => ({ text: Buffer.from(text), json: Buffer.from(json) }));
  const longest = Math.max(0, ...entries.map(({ text }) => text.length));
  const ofLength = Array.from({ length: longest + 1 }, (_, length) =>
    entries.filter(({ text }) => text.length === length),
  );
  return (out, bytes, start, end) => {
    for (const { text, json } of ofLength[end - start] ?? []) {
      let at = 0;
      while (at < text.length && text[at] === bytes[start + at]) at++;
      if (at < text.length) continue;
      out.add(json);
      return;
    }
    throw new TypeError('A column has a text that its field cannot have');
  };
}

/** Writers for the ways in which field-types.ts allows text to become JSON without decoding. */
const WAYS = { copied: copy, compacted: writeCompact, quoted: writeString } as const;

/** Types that are written from bytes, without making a string first. */
const FROM_BYTES: Partial<Record<FieldType, WriteJson>> = {
  bool: (out, bytes, start) => out.addText(bytes[start] === TRUE ? 'true' : 'false'),
  timestamp: writeTimestamp,
};

/** Writers by column type. They write the JSON of the decoded value, and skip decoding where the bytes are that JSON already. */
export const WRITE_JSON = Object.fromEntries(
  (Object.keys(FIELD_TYPES) as FieldType[]).map((type) => [type, writerOfType(type)]),
) as Record<FieldType, WriteJson>;

function writerOfType(type: FieldType): WriteJson {
  const { json } = typeOf(type);
  return FROM_BYTES[type] ?? (typeof json === 'string' ? WAYS[json] : writeText(json));
}

function copy(out: ByteWriter, bytes: Buffer, start: number, end: number): void {
  out.addPart(bytes, start, end);
}

function writeString(out: ByteWriter, bytes: Buffer, start: number, end: number): void {
  if (!out.addUnescaped(bytes, start, end)) out.addText(JSON.stringify(bytes.toString('utf8', start, end)));
}

function writeCompact(out: ByteWriter, bytes: Buffer, start: number, end: number): void {
  // {} and [] contain no spaces.
  if (end - start <= 2) out.addPart(bytes, start, end);
  else addCompact(out, bytes, start, end);
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

/** The lengths of PostgreSQL's date, and of its date and time to the second; the offset in a session with UTC. */
const DATE_LENGTH = 10;
const SECONDS_LENGTH = 19;
const UTC = '+00';
/** The text that completes a fraction of a second to milliseconds in UTC, by the length of PostgreSQL's fraction including its point. */
const FRACTION = ['.000Z"', null, '00Z"', '0Z"', 'Z"'].map((end) => end && Buffer.from(end));
const T = 0x54;

/**
 * Writes `2026-11-20 11:13:29.16+00` as `2026-11-20T11:13:29.160Z`: copies it if the session uses UTC, else parses it. The store's
 * columns have milliseconds, and years from 1 to 9999.
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
