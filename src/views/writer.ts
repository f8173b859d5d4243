// Rows -> JSON text. A view is a list of members; its writer goes from a column's bytes straight to JSON.

import { type Bytes, decodeUtf8, encodeUtf8 } from '../bytes.ts';
import { bytesOf, layoutOf, type Place, stringify, TO_JSON } from '../columns.ts';

/** A member: the property that it shows as its type is written, or that property's text in words of its own. */
type Member<Row> = (keyof Row & string) | readonly [keyof Row & string, (text: string) => string];

/** Writes one row as a JSON object, in bytes. */
export type Writer<Row> = (row: Row) => Bytes;

interface Step {
  /** The member's name with all that stands before its value. */
  readonly lead: string;
  readonly place: Place;
  readonly write: (bytes: Bytes) => string;
}

/** The writer of a view. It is made for the layout of the first row that it sees: rows of one noun share theirs. */
export function writer<Row extends object>(members: Readonly<Record<string, Member<Row>>>): Writer<Row> {
  let steps: Step[] | undefined;
  return (row) => {
    steps ??= compile(members, layoutOf(row));
    let json = '';
    for (const { lead, place, write } of steps) {
      const bytes = bytesOf(row, place);
      json += bytes === null ? `${lead}null` : lead + write(bytes);
    }
    return `${json}}`;
  };
}

function compile(
  members: Readonly<Record<string, Member<never>>>,
  layout: ReadonlyMap<string, Place> | undefined,
): Step[] {
  return Object.entries(members).map(([name, member], position) => {
    const [property, writeText] = typeof member === 'string' ? [member] : member;
    const place = layout?.get(property);
    if (place === undefined) throw new TypeError(`The row has no ${property}`);
    const lead = `${position === 0 ? '{' : ','}${stringify(name)}:`;
    const write = writeText && ((bytes: Bytes) => encodeUtf8(writeText(decodeUtf8(bytes))));
    return { lead, place, write: write ?? TO_JSON[place.type] };
  });
}
