// Writes rows as REST's JSON, by the description of their resource. It does not decode rows over PostgreSQL's bytes; plain objects, such
// as Prisma's, give the same JSON. Pure.
import type { Field, Fields } from '../resources/description/fields.ts';
import { fieldsInParent } from '../resources/description/fields.ts';
import { expandableNames, namesNotInParent, restNameOf } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';
import type { ByteWriter } from './byte-writer.ts';
import { layoutOf } from './columns.ts';
import { TRUE } from './decoders.ts';
import { toInteger } from './json.ts';
import { withoutMembersOf } from './json-members.ts';
import { addCompactText, WRITE_JSON, type WriteJson } from './json-writers.ts';
import { type BlockRow, blockOf, endOf, firstOf } from './row-block.ts';
import { publicJson } from './shown-json.ts';
import { jsonOf } from './snapshot-rows.ts';

/** Adds one row as a JSON object. */
export type Writer<Row> = (row: Row, out: ByteWriter) => void;

interface Member {
  readonly property: string;
  readonly field: Field;
  /** The member's name and the punctuation before its value. */
  readonly prefix: Buffer;
  /** The same with the value null. */
  readonly ifNull: Buffer;
  /** Replaces the writer of the column's type. */
  readonly write: WriteJson | undefined;
}

/** The index of a member's column in rows of one layout, and the writer of its bytes. */
interface Position {
  readonly index: number;
  readonly write: WriteJson;
}

interface Form {
  readonly members: readonly Member[];
  /** REST names of the fields with `expand` that the client has not requested. */
  readonly hidden: readonly string[];
}

const CLOSE = Buffer.from('}');

/**
 * The writer of a resource. Its rows must have every field of the description.
 * @param expanded the REST names of the fields with `expand` that the client has requested
 */
export function writerOf<F extends Fields>(
  { fields }: Pick<Resource<F>, 'fields'>,
  expanded: readonly string[] = [],
): Writer<object> {
  // Made for the first row: a process creates hundreds of writers at its start, and uses few.
  let form: Form | undefined;
  let layout: ReturnType<typeof layoutOf>;
  let positions: readonly Position[] = [];

  function writePlain({ members }: Form, row: Readonly<Record<string, unknown>>, out: ByteWriter): void {
    for (const { property, field, prefix } of members) {
      out.add(prefix);
      out.addText(JSON.stringify(toRest(row[property], field)));
    }
    out.add(CLOSE);
  }

  return (row, out) => {
    form ??= formOf(fields, expanded);
    const { members, hidden } = form;
    const rowLayout = layoutOf(row);
    if (rowLayout === undefined) {
      const json = jsonOf(row);
      if (json !== undefined) {
        addCompactText(out, publicJson({ fields }, json, hidden));
        return;
      }
      writePlain(form, row as Readonly<Record<string, unknown>>, out);
      return;
    }
    if (rowLayout !== layout) {
      positions = members.map((member) => positionOf(member, rowLayout));
      layout = rowLayout;
    }
    const { bytes, starts } = blockOf(row as BlockRow);
    const first = firstOf(row as BlockRow);
    for (let i = 0; i < members.length; i++) {
      const { prefix, ifNull } = members[i] as Member;
      const { index, write } = positions[i] as Position;
      const start = starts[first + index] ?? -1;
      if (start < 0) out.add(ifNull);
      else {
        out.add(prefix);
        write(out, bytes, start, endOf(bytes, start));
      }
    }
    out.add(CLOSE);
  };
}

function formOf(fields: Fields, expanded: readonly string[]): Form {
  const hidden = expandableNames({ fields }).filter((name) => !expanded.includes(name));
  const members = Object.entries<Field>(fields)
    .filter(([property, field]) => field.internal !== true && !hidden.includes(restNameOf(property, field)))
    .map(([property, field], position): Member => {
      const prefix = Buffer.from(`${position === 0 ? '{' : ','}"${restNameOf(property, field)}":`);
      const ifNull = Buffer.concat([prefix, Buffer.from('null')]);
      return { property, field, prefix, ifNull, write: bytesWriter(field) };
    });
  return { members, hidden };
}

function positionOf({ property, write }: Member, layout: NonNullable<ReturnType<typeof layoutOf>>): Position {
  const position = layout.get(property);
  if (position === undefined) throw new TypeError(`The row has no ${property}`);
  return { index: position.index, write: write ?? WRITE_JSON[position.type] };
}

/** A writer of the column's bytes, for a field with a special form in REST. */
function bytesWriter(field: Field): WriteJson | undefined {
  const { type, restAsNumber, restAsText } = field;
  const names = namesNotInParent(field);
  if (names.length > 0)
    return (out, bytes, start, end) =>
      addCompactText(out, withoutMembersOf(bytes.toString('utf8', start, end), names));
  if (restAsNumber === true && type === 'decimal')
    return (out, bytes, start, end) => out.addText(String(Number(bytes.toString('latin1', start, end))));
  if (restAsNumber === true) return (out, bytes, start) => out.addText(bytes[start] === TRUE ? '1' : '0');
  if (restAsText !== true) return undefined;
  return type === 'bool'
    ? (out, bytes, start) => out.addText(bytes[start] === TRUE ? '"true"' : '"false"')
    : WRITE_JSON.text;
}

/** A property's value in REST's JSON. */
function toRest(value: unknown, field: Field): unknown {
  if (field.restAsText === true && value != null) return String(value);
  if (typeof value === 'bigint') return toInteger(value);
  if (field.restAsNumber === true && value != null) return Number(value);
  const { items, object } = field;
  if (object !== undefined && value instanceof Object) return toRestObject(value, fieldsInParent(object));
  // Arrays are lists of ids or of objects. JSON.stringify writes a Date itself.
  if (!Array.isArray(value)) return value ?? null;
  if (items === undefined) return value.map((item) => toRest(item, field));
  const shown = fieldsInParent(items);
  return value.map((item: object) => toRestObject(item, shown));
}

/** An object as REST shows it: with these fields, by their REST names. */
export function toRestObject(value: object, fields: Fields): object {
  const members = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(fields)
      .filter(
        ([property, { optional, internal }]) =>
          internal !== true && (optional !== true || members[property] !== undefined),
      )
      .map(([property, of]) => [restNameOf(property, of), toRest(members[property], of)]),
  );
}
