// Turns properties that were checked into what the statements of a change take. Pure.
import { type Fields, type Resource, toSnakeCase } from '../resources/resource.ts';
import { bigintAsText } from '../rows/json.ts';
import type { Given } from './parse-fields.ts';

/** The default values of a new object. */
export function defaultsOf(fields: Fields): Given<Fields> {
  const defaults = Object.entries(fields).filter(([, field]) => field.default !== undefined);
  return Object.fromEntries(defaults.map(([property, field]) => [property, field.default]));
}

/** The columns of a noun that are given, as JSON. Text becomes the type of the column in PostgreSQL. */
export function columnsAsJson({ fields }: Pick<Resource, 'fields'>, given: Given<Fields>): string {
  const columns = Object.entries(given).filter(([property]) => fields[property]?.children === undefined);
  const values = columns
    .filter(([property]) => property in fields)
    .map(([property, value]) => [toSnakeCase(property), value]);
  return JSON.stringify(Object.fromEntries(values), bigintAsText);
}
