// Rows as REST's JSON, by the description of their noun. Rows from the wire go from their bytes to JSON undecoded; plain
// ones, which Prisma gave, have the same JSON. Pure.
import { type Field, type Fields, type Resource, restNameOf } from '../resources/resource.ts';
import type { ByteWriter } from './byte-writer.ts';
import { type ColumnPosition, layoutOf, type WriteJson, writeField } from './columns.ts';
import { toInteger } from './json.ts';

/** Adds one row as a JSON object. */
export type Writer<Row> = (row: Row, out: ByteWriter) => void;

interface Member {
  readonly property: string;
  readonly field: Field;
  /** The member's name with all that stands before its value. */
  readonly lead: Buffer;
  /** Its own form on the way from the wire; else that of its type. */
  readonly write: WriteJson | undefined;
}

const NULL = Buffer.from('null');
const CLOSE = Buffer.from('}');
const TRUE = 0x74;

/** The writer of a noun. It takes any row that has every field of the description. */
export function writerOf<F extends Fields>({ fields }: Pick<Resource<F>, 'fields'>): Writer<object> {
  const members = Object.entries<Field>(fields)
    .filter(([, field]) => field.internal !== true)
    .map(([property, field], position): Member => {
      const lead = Buffer.from(`${position === 0 ? '{' : ','}"${restNameOf(property, field)}":`);
      return { property, field, lead, write: fromWire(field) };
    });
  let layout: ReturnType<typeof layoutOf>;
  let positions: readonly ColumnPosition[] = [];

  function writePlain(row: Readonly<Record<string, unknown>>, out: ByteWriter): void {
    for (const { property, field, lead } of members) {
      out.add(lead);
      out.addText(JSON.stringify(toRest(row[property], field)));
    }
    out.add(CLOSE);
  }

  return (row, out) => {
    const itsLayout = layoutOf(row);
    if (itsLayout === undefined) {
      writePlain(row as Readonly<Record<string, unknown>>, out);
      return;
    }
    if (itsLayout !== layout) {
      positions = members.map(({ property }) => positionOf(property, itsLayout));
      layout = itsLayout;
    }
    for (let i = 0; i < members.length; i++) {
      const { lead, write } = members[i] as Member;
      out.add(lead);
      if (!writeField(out, row, positions[i] as ColumnPosition, write)) out.add(NULL);
    }
    out.add(CLOSE);
  };
}

function positionOf(property: string, layout: NonNullable<ReturnType<typeof layoutOf>>): ColumnPosition {
  const position = layout.get(property);
  if (position === undefined) throw new TypeError(`The row has no ${property}`);
  return position;
}

/** What is special about a field's form over REST, from its bytes. */
function fromWire({ restAsNumber, restOmits, items }: Field): WriteJson | undefined {
  if (restAsNumber === true) return (out, bytes, start) => out.addText(bytes[start] === TRUE ? '1' : '0');
  if (restOmits === undefined || items === undefined) return undefined;
  const omitted = new Set(restOmits.map((property) => restNameOf(property, items[property])));
  return (out, bytes, start, end) => {
    const omit = (name: string, value: unknown, { source }: { source?: string }) => {
      if (omitted.has(name)) return undefined;
      // Digits stay as they are, beyond 2^53 too.
      return typeof value === 'number' ? JSON.rawJSON(source ?? String(value)) : value;
    };
    const text = bytes.toString('utf8', start, end);
    out.addText(text === '[]' ? text : JSON.stringify(JSON.parse(text, omit)));
  };
}

/** A property's value as REST's JSON has it. */
function toRest(value: unknown, field: Field): unknown {
  if (typeof value === 'bigint') return toInteger(value);
  if (typeof value === 'boolean' && field.restAsNumber === true) return value ? 1 : 0;
  // Ids in a list, or objects in one; a Date is written as it is.
  if (!Array.isArray(value)) return value ?? null;
  const { items, restOmits = [] } = field;
  if (items === undefined) return value.map((item) => toRest(item, field));
  const shown = Object.entries(items).filter(([property]) => !restOmits.includes(property));
  return value.map((item: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(
      shown
        .filter(([property, { optional }]) => optional !== true || item[property] !== undefined)
        .map(([property, of]) => [restNameOf(property, of), toRest(item[property], of)]),
    ),
  );
}
