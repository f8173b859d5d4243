// Removes the members that events and REST answers do not contain from the JSON that a change has built of a row. Pure.
import type { Fields } from '../resources/description/fields.ts';
import { expandableNames, namesNotInParent, restNameOf } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';
import { withoutMembers, withoutMembersInside } from './json-members.ts';

/** The JSON for events and REST answers. @param hidden the members to remove; absent: all fields with `expand` */
export function publicJson(
  resource: Pick<Resource, 'fields'>,
  json: string,
  hidden: readonly string[] = expandableNames(resource),
): string {
  return withoutMembersInside(withoutMembers(json, hidden), namesInside(resource.fields));
}

/** Whether `publicJson` removes anything. */
export function hidesMembers(resource: Pick<Resource, 'fields'>): boolean {
  return expandableNames(resource).length > 0 || namesInside(resource.fields).size > 0;
}

const namesByFields = new WeakMap<Fields, ReadonlyMap<string, readonly string[]>>();

/** The REST names of the members that are removed from nested objects, by the REST name of the member that contains the objects. */
function namesInside(fields: Fields): ReadonlyMap<string, readonly string[]> {
  const cached = namesByFields.get(fields);
  if (cached !== undefined) return cached;
  const all = Object.entries(fields).map(
    ([property, field]) => [restNameOf(property, field), namesNotInParent(field)] as const,
  );
  const found = new Map(all.filter(([, names]) => names.length > 0));
  namesByFields.set(fields, found);
  return found;
}
