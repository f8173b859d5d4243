// What others are shown of the JSON of a row that a change has put together: events, and answers over REST. Pure.
import {
  expandableNames,
  type Fields,
  namesNotInParent,
  type Resource,
  restNameOf,
} from '../resources/resource.ts';
import { withoutMembers, withoutMembersInside } from './json-members.ts';

/** @param hidden the members that are left out; absent: all that are shown only where they are asked for */
export function shownJson(
  resource: Pick<Resource, 'fields'>,
  json: string,
  hidden: readonly string[] = expandableNames(resource),
): string {
  return withoutMembersInside(withoutMembers(json, hidden), namesInside(resource.fields));
}

/** Whether others are shown less than the JSON of a row has. */
export function isShownInPart(resource: Pick<Resource, 'fields'>): boolean {
  return expandableNames(resource).length > 0 || namesInside(resource.fields).size > 0;
}

const inside = new WeakMap<Fields, ReadonlyMap<string, readonly string[]>>();

/** By the REST name of a member with objects: the REST names of what is left out of them. */
function namesInside(fields: Fields): ReadonlyMap<string, readonly string[]> {
  const known = inside.get(fields);
  if (known !== undefined) return known;
  const all = Object.entries(fields).map(
    ([property, field]) => [restNameOf(property, field), namesNotInParent(field)] as const,
  );
  const found = new Map(all.filter(([, names]) => names.length > 0));
  inside.set(fields, found);
  return found;
}
