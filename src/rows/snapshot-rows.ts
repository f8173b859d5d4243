// Rows over the JSON that a change has built of them (store/changing/snapshots.ts). REST sends the JSON as its answer; reading a property
// parses it. Pure.
import { parseJson } from '../resources/description/field-types.ts';
import { restNameOf } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';
import { memberParser } from './decoders.ts';

const JSON_TEXT = Symbol('json');
/** The id at the beginning of a snapshot, where most have it. Reading only the id then parses nothing. */
const ID = /^\{"id":(\d+)/;

/** The JSON of a row of `snapshotRows`; undefined for any other object. */
export function jsonOf(row: object): string | undefined {
  return (row as { [JSON_TEXT]?: string })[JSON_TEXT];
}

/** Makes a factory of rows of a resource: objects with a getter for each field in REST. */
export function snapshotRows<Row>({ fields }: Pick<Resource, 'fields'>): (json: string) => Row {
  class SnapshotRow {
    readonly [JSON_TEXT]: string;
    #members: Readonly<Record<string, unknown>> | undefined;

    constructor(json: string) {
      this[JSON_TEXT] = json;
    }

    static member(row: SnapshotRow, name: string): unknown {
      row.#members ??= parseJson(row[JSON_TEXT]) as Record<string, unknown>;
      return row.#members[name];
    }
  }
  for (const [property, field] of Object.entries(fields)) {
    const name = restNameOf(property, field);
    const parse = memberParser(field);
    Object.defineProperty(SnapshotRow.prototype, property, {
      enumerable: true,
      get(this: SnapshotRow) {
        if (field.internal === true || field.expand === 'reads')
          throw new TypeError(`A snapshot has no ${property}`);
        const id = property === 'id' ? ID.exec(this[JSON_TEXT])?.[1] : undefined;
        const value = id ?? SnapshotRow.member(this, name);
        if (field.restAsText === true && field.type === 'bool') return value === 'true';
        return value === null ? null : parse(value);
      },
    });
  }
  return (json) => new SnapshotRow(json) as Row;
}
