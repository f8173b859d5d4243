// The fields of audit entries and events for the object that they are about. Of an applied tag it is the object that has the tag, with the
// tag beside it.
import type { FieldMap } from '@pothos/core';
import { graphqlTypeNameOf, subjectTypeOf } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';
import { splitTest } from '../resources/funnel-steps.ts';
import { NOUNS } from '../resources/nouns.ts';
import { TAGGINGS } from '../resources/tagging.ts';
import { builder, rowOf, type Types } from './builder.ts';
import { encodeGlobalId } from './global-ids.ts';
import { findNode } from './nodes.ts';
import { Tag } from './taggable.ts';

/** The columns of a record about an object. */
interface AboutObject {
  readonly id: bigint;
  readonly subjectType: string;
  readonly subjectId: bigint;
  readonly taggedId: bigint | null;
  readonly tagId: bigint | null;
}

/** By the subject types of records: the name of GraphQL's type. */
const TYPE_NAMES = new Map(
  [...NOUNS, splitTest].map((noun: Resource) => [subjectTypeOf(noun), graphqlTypeNameOf(noun)]),
);

/** The type and the integer id of what a record is about. A type that no longer exists keeps its name. */
function subjectOf({ subjectType, subjectId, taggedId }: AboutObject): [typeName: string, id: bigint] {
  const tagging = TAGGINGS.get(subjectType);
  if (tagging !== undefined && taggedId !== null) return [graphqlTypeNameOf(tagging.family.object), taggedId];
  return [TYPE_NAMES.get(subjectType) ?? subjectType, subjectId];
}

const SUBJECT_COLUMNS = ['subjectType', 'subjectId', 'taggedId'] as const;

/** @param about a noun phrase for the subject, such as `changed object` */
export function subjectFields(t: object, about: string): FieldMap {
  const fields = t as PothosSchemaTypes.ObjectFieldBuilder<Types, AboutObject>;
  return {
    subject: fields.field({
      type: builder.nodeInterfaceRef(),
      nullable: true,
      columns: SUBJECT_COLUMNS,
      description: `The ${about} as it is now; of an applied tag, the contact or order that has the tag. Null if it no longer exists. It needs the scope of its type.`,
      resolve: (row, _args, ctx) => findNode(ctx, ...subjectOf(row)),
    }),
    subjectId: fields.id({
      columns: SUBJECT_COLUMNS,
      description: `The global id of the ${about}, which stays when the object is deleted.`,
      resolve: (row) => encodeGlobalId(...subjectOf(row)),
    }),
    subjectType: fields.string({
      columns: SUBJECT_COLUMNS,
      description: `The name of the ${about}’s type, such as \`ContactTag\`, which stays when the object is deleted.`,
      resolve: (row) => subjectOf(row)[0],
    }),
    tag: fields.field({
      type: Tag,
      nullable: true,
      columns: ['subjectType', 'tagId'],
      description:
        'The tag that was applied or removed. Null for any other subject, and if the tag no longer exists. It needs the scope of its type.',
      async resolve({ subjectType, tagId }, _args, ctx) {
        const tagging = TAGGINGS.get(subjectType);
        if (tagging === undefined || tagId === null) return null;
        const tagType = graphqlTypeNameOf(tagging.family.tag);
        const row = await findNode(ctx, tagType, tagId);
        return row && rowOf(Object.assign(row, { tagType }) as never);
      },
    }),
  };
}
