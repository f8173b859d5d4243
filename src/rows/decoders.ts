// Decoders from the bytes of a column's text to its value. Pure.
import { parse as parseArray } from 'postgres-array';
import { type Field, type Fields, type FieldType, restNameOf } from '../resources/resource.ts';

export type Decode = (bytes: Buffer, start: number, end: number) => unknown;

/** Decodes the column's text. */
const fromText =
  (parse: (text: string) => unknown): Decode =>
  (bytes, start, end) =>
    parse(bytes.toString('utf8', start, end));

const DECODERS: Record<FieldType, Decode> = {
  int8: fromText(BigInt),
  int4: fromText(Number),
  text: fromText((text) => text),
  enum: toLabel,
  bool: (bytes, start) => bytes[start] === TRUE,
  timestamp: fromText(toDate),
  jsonb: fromText(JSON.parse),
  json: fromText(parseJson),
  'text[]': fromText(parseArray),
  'int8[]': fromText((text) => parseArray(text, BigInt)),
};

/** What PostgreSQL writes for true. */
export const TRUE = 0x74;

/** The enum labels seen so far, so that each is one string. Bounded by the enums of the database schema. */
const labels: string[] = [];

function toLabel(bytes: Buffer, start: number, end: number): string {
  for (const seen of labels) if (isText(seen, bytes, start, end)) return seen;
  const label = bytes.toString('latin1', start, end);
  labels.push(label);
  return label;
}

/** Whether these bytes are this text. */
export function isText(ascii: string, bytes: Buffer, start: number, end: number): boolean {
  if (ascii.length !== end - start) return false;
  for (let i = 0; i < ascii.length; i++) if (ascii.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

/** Parses JSON whose integers may have 64 bits. */
function parseJson(text: string): unknown {
  return JSON.parse(text, keepInteger);
}

/** Decodes a JSON list of objects; their members by property name, ids as bigints. */
function itemsDecoder(items: Fields): Decode {
  const members = Object.entries(items).map(([property, field]) => ({
    property,
    name: restNameOf(property, field),
    parse: ITEM_PARSERS[field.type] ?? asIs,
  }));
  return fromText((text) =>
    (parseJson(text) as Record<string, unknown>[]).map((item) =>
      Object.fromEntries(
        members.map(({ property, name, parse }) => [
          property,
          item[name] == null ? item[name] : parse(item[name]),
        ]),
      ),
    ),
  );
}

const asIs = (value: unknown) => value;

/** Conversions of members whose types JSON lacks. */
const ITEM_PARSERS: Partial<Record<FieldType, (value: unknown) => unknown>> = {
  int8: (value) => BigInt(value as number | bigint),
  timestamp: (value) => new Date(value as string),
};

/** Integers beyond 2^53 become bigints: as numbers they would be rounded. */
function keepInteger(_key: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
    ? BigInt(source ?? 0)
    : value;
}

/** Parses `2026-11-20 11:13:29.16+05:30`, or with `+05`. */
export function toDate(text: string): Date {
  return new Date(text.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00'));
}

/** The decoder of a column. */
export function decoderOf({ type, items }: Pick<Field, 'type' | 'items'>): Decode {
  return items === undefined ? DECODERS[type] : itemsDecoder(items);
}
