// The GraphQL fields of a resource, from its description: each exposes a property of the row.
import type { FieldMap } from '@pothos/core';
import type { Field, Fields } from '../resources/resource.ts';
import type { Types } from './builder.ts';

type Builder = PothosSchemaTypes.FieldBuilder<Types, unknown>;
type Expose = (property: string, options: object) => FieldMap[string];

/** The GraphQL type of each type of field. */
export const TYPE_OF = {
  int8: 'BigInt',
  int4: 'Int',
  text: 'String',
  enum: 'String',
  bool: 'Boolean',
  timestamp: 'DateTime',
  jsonb: 'JSON',
  json: 'JSON',
  'text[]': ['String'],
  'int8[]': ['BigInt'],
} as const satisfies Record<Field['type'], unknown>;

/** The fields of a resource, except `id` (in GraphQL the global id), internal fields, and fields that need an object type. */
export function resourceFields(t: object, fields: Fields): FieldMap {
  const expose = (t as Builder).expose.bind(t) as unknown as Expose;
  const exposed = Object.entries(fields).filter(
    ([property, { internal, items, object, members }]) =>
      property !== 'id' && internal !== true && (items ?? object ?? members) === undefined,
  );
  return Object.fromEntries(
    exposed.map(([property, { type, nullable = false, optional = false, description }]) => [
      property,
      expose(property, { type: TYPE_OF[type], nullable: nullable || optional, description }),
    ]),
  );
}
