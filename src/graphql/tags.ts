// The tags of nouns, as parts of their objects.
import type { FieldMap } from '@pothos/core';
import { graphqlTypeNameOf, type Resource } from '../resources/resource.ts';
import { type TagOnObjectRow, tagOnObject } from '../resources/tags.ts';
import type { Types } from './builder.ts';
import { assumedValues } from './field-options.ts';
import type { ObjectId } from './global-ids.ts';
import { definePart } from './nodes.ts';
import { resourceFields } from './resource-fields.ts';

/** A tag on an object. The object is part of the tag's global id. */
type TagOn = TagOnObjectRow & { readonly on: ObjectId };

const AppliedTag = definePart<TagOn>('AppliedTag', {
  description: 'A tag on one contact.',
  idOf: ({ on, id }) => ({ of: on, id }),
  partsOf: (typeName, object) => ('tags' in object ? tagsOn(typeName, object as Tagged) : []),
  fields: (t) => ({
    databaseId: t.expose('id', { type: 'BigInt', description: 'The integer id of the tag.' }),
    ...resourceFields(t, tagOnObject),
  }),
});

interface Tagged {
  readonly id: bigint;
  readonly tags: readonly TagOnObjectRow[];
}

/** The tags of an object. */
function tagsOn(typeName: string, { id, tags }: Tagged): TagOn[] {
  const on = { typeName, id };
  return tags.map((tag) => ({ ...tag, on }));
}

/** The field `tags` of a noun whose description has one. */
export function tagsField(t: object, noun: Pick<Resource, 'type' | 'graphqlName' | 'fields'>): FieldMap {
  const { tags } = noun.fields;
  if (tags?.items !== tagOnObject) return {};
  const field = (t as PothosSchemaTypes.ObjectFieldBuilder<Types, Tagged>).field({
    type: [AppliedTag],
    description: tags.description,
    columns: ['id', 'tags'],
    rows: assumedValues(),
    resolve: (row) => tagsOn(graphqlTypeNameOf(noun), row),
  });
  return { tags: field };
}
