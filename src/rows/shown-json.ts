// What others are shown of the JSON of a row that a change has put together: events, and answers over REST. Pure.
import { expandableNames, namesNotInParent, type Resource } from '../resources/resource.ts';
import { withoutMembers, withoutMembersInLists } from './json-members.ts';

/** @param hidden the members that are left out; absent: all that are shown only where they are asked for */
export function shownJson(
  resource: Pick<Resource, 'fields'>,
  json: string,
  hidden: readonly string[] = expandableNames(resource),
): string {
  return withoutMembersInLists(withoutMembers(json, hidden), namesNotInParent(resource));
}

/** Whether others are shown less than the JSON of a row has. */
export function isShownInPart(resource: Pick<Resource, 'fields'>): boolean {
  return expandableNames(resource).length > 0 || namesNotInParent(resource).length > 0;
}
