// Which members REST shows: only with `expand[]`, or not inside another object.
import { type Field, type Fields, isExpandable } from './fields.ts';
import { restNameOf } from './names.ts';
import type { Resource } from './resource.ts';

/** The REST names of the fields that it returns only if `expand[]` lists them. */
export function expandableNames({ fields }: Pick<Resource, 'fields'>): string[] {
  return Object.entries(fields)
    .filter(([, field]) => isExpandable(field))
    .map(([property, field]) => restNameOf(property, field));
}

/** The fields of an object that REST returns inside another object. */
export function fieldsInParent(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, { notInParent }]) => notInParent !== true));
}

/** The REST names of the members that REST leaves out of the objects in a field. */
export function namesNotInParent({ items, object = items ?? {} }: Field): string[] {
  return Object.entries(object).flatMap(([property, field]) =>
    field.notInParent === true ? [restNameOf(property, field)] : [],
  );
}
