// The interface of objects that have tags. Their fields `tags` are in tags.ts, the changes of their tags in tagging.ts.
import type { InterfaceParam } from '@pothos/core';
import type { Fields } from '../resources/description/fields.ts';
import type { Resource } from '../resources/description/resource.ts';
import { TAG_FAMILIES, type TagFamily } from '../resources/tag-families.ts';
import { tagOnObject } from '../resources/tags.ts';
import { builder, type Types } from './builder.ts';
import { resourceFields } from './resource-fields.ts';

/** An object that has tags. Its resolvers mark which type it is of (`brandWithType`). */
export const Taggable = builder.interfaceRef<{ readonly id: bigint }>('Taggable').implement({
  description: 'An object that can have tags.',
  interfaces: [builder.nodeInterfaceRef()],
});

const { id: _, appliedAt: __, ...TAG_FIELDS } = tagOnObject;

/** A tag of any family. Its resolvers say which type it is of. */
interface AnyTag {
  readonly id: bigint;
  readonly workspaceId: bigint;
  readonly tagType?: string;
}

export const Tag = builder.interfaceRef<AnyTag>('Tag');
Tag.implement({
  description: 'A label for objects of one kind in a workspace: contacts, orders, products or funnels.',
  interfaces: [builder.nodeInterfaceRef()],
  resolveType: ({ tagType }: AnyTag) => tagType,
  fields: (t) => ({
    databaseId: t.field({
      type: 'BigInt',
      description: 'The integer id: the `id` of REST.',
      column: 'id',
      resolve: ({ id }) => id,
    }),
    ...resourceFields(t, TAG_FIELDS),
  }),
});

/** The family of tags that the objects of a noun can have; undefined if they have none. */
export function familyOf({ type }: Pick<Resource, 'type'>): TagFamily | undefined {
  return TAG_FAMILIES.find(({ object }) => object.type === type);
}

/** Whether the noun is that of the tags of a family. */
function isTag({ type }: Pick<Resource, 'type'>): boolean {
  return TAG_FAMILIES.some(({ tag }) => tag.type === type);
}

/** The fields of a noun without the ids of its tags, which are a connection. */
export function withoutTagIds(noun: Pick<Resource, 'type'>, fields: Fields): Fields {
  if (familyOf(noun) === undefined) return fields;
  return Object.fromEntries(Object.entries(fields).filter(([property]) => property !== 'tagIds'));
}

/** The interfaces of a noun besides Node. */
export function tagInterfaces(noun: Pick<Resource, 'type'>): InterfaceParam<Types>[] {
  if (isTag(noun)) return [Tag];
  return familyOf(noun) === undefined ? [] : [Taggable];
}
