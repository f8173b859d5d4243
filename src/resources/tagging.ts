// What audit entries and events say of an applied tag: the object that has the tag, and the tag.
import { parentKeyOf } from './description/ancestors.ts';
import type { Fields } from './description/fields.ts';
import { restNameOf, subjectTypeOf } from './description/names.ts';
import { TAG_FAMILIES } from './tag-families.ts';

/** By the subject type of an applied tag: the family of the tag, and REST's name of the key of the object that has it. */
export const TAGGINGS = new Map(
  TAG_FAMILIES.flatMap((family) =>
    family.applied === null
      ? []
      : [[subjectTypeOf(family.applied), { family, key: restNameOf(parentKeyOf(family.applied)) }]],
  ),
);

/** Fields of audit entries and events of an applied tag; null for any other subject. */
export const OF_TAGGING = {
  taggedId: {
    type: 'int8',
    nullable: true,
    internal: true,
    description: 'The integer id of the object that has or had the tag. Null once the data was erased.',
  },
  tagId: {
    type: 'int8',
    nullable: true,
    internal: true,
    description: 'The integer id of the tag. Null once the data was erased.',
  },
} as const satisfies Fields;
