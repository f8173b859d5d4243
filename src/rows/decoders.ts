// Decoders from the bytes of a column's text to its value. Pure.
import { parse as parseArray } from 'postgres-array';
import { type Field, type Fields, type FieldType, restNameOf } from '../resources/resource.ts';

type Described = Pick<Field, 'type' | 'items' | 'object'>;

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
  jsonb: fromText(parseJson),
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
export function parseJson(text: string): unknown {
  return JSON.parse(text, keepInteger);
}

/** Makes an object with these fields of its JSON: members by property name, ids as bigints. */
function objectParser(fields: Fields): (json: Readonly<Record<string, unknown>>) => Record<string, unknown> {
  const members = Object.entries(fields).map(([property, field]) => ({
    property,
    name: restNameOf(property, field),
    parse: MEMBER_PARSERS[field.type] ?? asIs,
  }));
  return (json) =>
    Object.fromEntries(
      members.map(({ property, name, parse }) => [
        property,
        json[name] == null ? json[name] : parse(json[name]),
      ]),
    );
}

function toBigInt(value: unknown): bigint {
  return BigInt(value as number | bigint);
}

const asIs = (value: unknown) => value;

/** Conversions of members whose types JSON lacks. */
const MEMBER_PARSERS: Partial<Record<FieldType, (value: unknown) => unknown>> = {
  int8: toBigInt,
  'int8[]': (values) => (values as (number | bigint)[]).map(toBigInt),
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

/** The value of a field of an object in JSON, such as `parseJson` gives it. */
export function memberParser({ type, items, object }: Described): (value: unknown) => unknown {
  if (object !== undefined) return objectParser(object) as (value: unknown) => unknown;
  if (items === undefined) return MEMBER_PARSERS[type] ?? asIs;
  const parseItem = objectParser(items);
  return (list) => (list as Record<string, unknown>[]).map(parseItem);
}

/** The decoder of a column. */
export function decoderOf(described: Described): Decode {
  if (described.items === undefined && described.object === undefined) return DECODERS[described.type];
  const parse = memberParser(described);
  return fromText((text) => parse(parseJson(text)));
}
