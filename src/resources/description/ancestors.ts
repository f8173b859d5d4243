// What a noun is below: its parent, its workspace and its team.
import { uncapitalize } from './names.ts';
import type { Resource } from './resource.ts';

/** The property of a noun with its parent's id, such as `workspaceId`. */
export function parentKeyOf({ parentKey, parent }: Pick<Resource, 'parent' | 'parentKey'>): string {
  if (parent === undefined) throw new TypeError('The noun has no parent.');
  return parentKey ?? `${uncapitalize(parent.type)}Id`;
}

/** The fields of a noun with the ids of objects that it belongs to, and their nouns: its parent, and its workspace. */
export function ownerKeysOf(
  noun: Pick<Resource, 'parent' | 'parentKey' | 'fields'>,
): [property: string, owner: Resource][] {
  if (noun.parent === undefined) return [];
  const workspace = ancestorsOf(noun).find(({ table }) => table === 'workspaces');
  const owners = new Map([[parentKeyOf(noun), noun.parent]]);
  if (workspace !== undefined) owners.set('workspaceId', workspace);
  return [...owners].filter(([property]) => property in noun.fields);
}

/** The ancestors of a noun, the nearest first: for a contact, workspace and team. */
export function ancestorsOf({ parent }: Pick<Resource, 'parent'>): readonly Resource[] {
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent)];
}

/** Whether a noun's objects are in a workspace: below it, or below something that is. */
export function isInWorkspace(noun: Pick<Resource, 'parent'>): boolean {
  return ancestorsOf(noun).some(({ table }) => table === 'workspaces');
}
