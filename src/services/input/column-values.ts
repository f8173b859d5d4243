// Converts checked properties to the values that the statements of a change take. Pure.
import type { Field, Fields } from '../../resources/description/fields.ts';
import { restNameOf, toSnakeCase } from '../../resources/description/names.ts';
import type { Resource } from '../../resources/description/resource.ts';
import { bigintAsText } from '../../rows/json.ts';
import { toRestObject } from '../../rows/resource-writer.ts';
import type { ColumnValues } from '../../store/changing/children.ts';
import type { NewValues } from './parse-fields.ts';

/** The default values of a new object. */
export function defaultsOf(fields: Fields): NewValues<Fields> {
  const defaults = Object.entries(fields).filter(([, field]) => field.default !== undefined);
  return Object.fromEntries(defaults.map(([property, field]) => [property, defaultOf(field)]));
}

/** Objects in JSON are stored as REST shows them: the items of a list with all members, an object with the members in the input. */
function toStored({ items, object }: Field, value: unknown): unknown {
  if (object !== undefined && value instanceof Object)
    return Object.fromEntries(
      Object.entries(value).map(([property, member]) => [restNameOf(property, object[property]), member]),
    );
  return items === undefined || value === null
    ? value
    : (value as object[]).map((item) => toRestObject(item, items));
}

/** A new object has all its members, each null. */
function defaultOf({ object, default: initially }: Field): unknown {
  if (object === undefined) return initially;
  return Object.fromEntries(Object.keys(object).map((property) => [property, null]));
}

/** The values of a noun's columns. */
export function columnsOf({ fields }: Pick<Resource, 'fields'>, given: NewValues<Fields>): ColumnValues {
  const values = Object.entries(given).flatMap(([property, value]) => {
    const field = fields[property];
    return field === undefined || field.children !== undefined
      ? []
      : [{ column: toSnakeCase(property), field, value: toStored(field, value) }];
  });
  const json = (value: unknown) => JSON.stringify(value, bigintAsText);
  return {
    columns: Object.fromEntries(
      values.map(({ column, field, value }) => [
        column,
        field.type === 'jsonb' && value !== null ? json(value) : value,
      ]),
    ),
    // As text, PostgreSQL converts the value to the type of the column.
    json: json(Object.fromEntries(values.map(({ column, value }) => [column, value]))),
  };
}
