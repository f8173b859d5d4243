// Decoders from the bytes of a column's text to its value. Pure.
import { type FieldType, parseJson, typeOf } from '../resources/description/field-types.ts';
import type { Field, Fields } from '../resources/description/fields.ts';
import { restNameOf } from '../resources/description/names.ts';

type Described = Pick<Field, 'type' | 'items' | 'object' | 'restAsNumber'>;

export type Decode = (bytes: Buffer, start: number, end: number) => unknown;

/** Decodes the column's text. */
const fromText =
  (parse: (text: string) => unknown): Decode =>
  (bytes, start, end) =>
    parse(bytes.toString('utf8', start, end));

/** Types that are decoded from bytes, without making a string first. */
const FROM_BYTES: Partial<Record<FieldType, Decode>> = {
  enum: toLabel,
  bool: (bytes, start) => bytes[start] === TRUE,
};

/** What PostgreSQL writes for true. */
export const TRUE = 0x74;

/** The enum labels seen so far, so that all rows share one string for each. Bounded by the enums of the database schema. */
const labels: string[] = [];

function toLabel(bytes: Buffer, start: number, end: number): string {
  for (const seen of labels) if (isText(seen, bytes, start, end)) return seen;
  const label = bytes.toString('latin1', start, end);
  labels.push(label);
  return label;
}

/** Whether the bytes from `start` up to `end` equal an ASCII text. */
export function isText(ascii: string, bytes: Buffer, start: number, end: number): boolean {
  if (ascii.length !== end - start) return false;
  for (let i = 0; i < ascii.length; i++) if (ascii.charCodeAt(i) !== bytes[start + i]) return false;
  return true;
}

/** A function that makes an object with these fields from its JSON: members by property name, ids as bigints. */
function objectParser(fields: Fields): (json: Readonly<Record<string, unknown>>) => Record<string, unknown> {
  const members = Object.entries(fields).map(([property, field]) => ({
    property,
    name: restNameOf(property, field),
    parse: memberParser(field),
  }));
  return (json) =>
    Object.fromEntries(
      members.map(({ property, name, parse }) => [
        property,
        json[name] == null ? json[name] : parse(json[name]),
      ]),
    );
}

const identity = (value: unknown) => value;

/** A parser of one field's value, as `parseJson` returns it. */
export function memberParser({ type, items, object, restAsNumber }: Described): (value: unknown) => unknown {
  if (restAsNumber === true) return type === 'decimal' ? String : (value) => value === 1;
  if (object !== undefined) return objectParser(object) as (value: unknown) => unknown;
  if (items === undefined) return typeOf(type).fromJson ?? identity;
  const parseItem = objectParser(items);
  return (list) => (list as Record<string, unknown>[]).map(parseItem);
}

/** The decoder of a column. */
export function decoderOf(described: Described): Decode {
  const { type, items, object } = described;
  if (items === undefined && object === undefined) return FROM_BYTES[type] ?? fromText(typeOf(type).fromText);
  const parse = memberParser(described);
  return fromText((text) => parse(parseJson(text)));
}
