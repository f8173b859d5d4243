// Rows -> JSON text. A view is a list of members; its writer goes from a column's bytes straight to JSON.

import type { ByteWriter } from '../rows/byte-writer.ts';
import { type ColumnPosition, fieldText, layoutOf, writeField } from '../rows/columns.ts';

/** A member: the property that it shows as its type is written, or that property's text in words of its own. */
type Member<Row> = (keyof Row & string) | readonly [keyof Row & string, (text: string) => string];

/** Adds one row as a JSON object. */
export type Writer<Row> = (row: Row, out: ByteWriter) => void;

interface Step {
  /** The member's name with all that stands before its value. */
  readonly lead: Uint8Array;
  /** Says whether there is a value. */
  readonly write: (out: ByteWriter, row: object) => boolean;
}

const NULL = Buffer.from('null');
const CLOSE = Buffer.from('}');

/** The writer of a view. It is made for the layout of the first row that it sees: rows of one noun share theirs. */
export function writer<Row extends object>(members: Readonly<Record<string, Member<Row>>>): Writer<Row> {
  let steps: Step[] | undefined;
  return (row, out) => {
    steps ??= compile(members, layoutOf(row));
    for (const { lead, write } of steps) {
      out.add(lead);
      if (!write(out, row)) out.add(NULL);
    }
    out.add(CLOSE);
  };
}

function compile(
  members: Readonly<Record<string, Member<never>>>,
  layout: ReadonlyMap<string, ColumnPosition> | undefined,
): Step[] {
  return Object.entries(members).map(([name, member], position) => {
    const [property, writeText] = typeof member === 'string' ? [member] : member;
    const place = layout?.get(property);
    if (place === undefined) throw new TypeError(`The row has no ${property}`);
    const lead = Buffer.from(`${position === 0 ? '{' : ','}${JSON.stringify(name)}:`);
    if (writeText === undefined) return { lead, write: (out, row) => writeField(out, row, place) };
    return {
      lead,
      write(out, row) {
        const text = fieldText(row, place);
        if (text !== null) out.addText(writeText(text));
        return text !== null;
      },
    };
  });
}
