// The interface of objects that have tags. Their fields `tags` are in tags.ts, the changes of their tags in tagging.ts.
import type { InterfaceParam } from '@pothos/core';
import type { Resource } from '../resources/resource.ts';
import { TAG_FAMILIES, type TagFamily } from '../resources/tag-families.ts';
import { builder, type Types } from './builder.ts';

/** An object that has tags. Its resolvers mark which type it is of (`brandWithType`). */
export const Taggable = builder.interfaceRef<{ readonly id: bigint }>('Taggable').implement({
  description: 'An object that can have tags.',
  interfaces: [builder.nodeInterfaceRef()],
});

/** The family of tags that the objects of a noun can have; undefined if they have none. */
function familyOf({ type }: Pick<Resource, 'type'>): TagFamily | undefined {
  return TAG_FAMILIES.find(({ object }) => object.type === type);
}

/** The interfaces of a noun besides Node. */
export function tagInterfaces(noun: Pick<Resource, 'type'>): InterfaceParam<Types>[] {
  return familyOf(noun) === undefined ? [] : [Taggable];
}
