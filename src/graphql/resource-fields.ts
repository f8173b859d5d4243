// The GraphQL fields of a resource, from its description: each exposes a property of the row.
import type { FieldMap } from '@pothos/core';
import { type FieldType, typeOf } from '../resources/field-types.ts';
import type { Fields } from '../resources/resource.ts';
import type { Types } from './builder.ts';
import { isMoney, moneyField } from './money.ts';

type Builder = PothosSchemaTypes.FieldBuilder<Types, unknown>;
type Expose = (property: string, options: object) => FieldMap[string];

/** The GraphQL type of a type of field. */
export function graphqlTypeOf(type: FieldType): string | readonly [string] {
  const { scalar, isList } = typeOf(type);
  return isList ? [scalar] : scalar;
}

/** The fields of a resource, except `id` (in GraphQL the global id), internal fields, and fields that need an object type. */
export function resourceFields(t: object, fields: Fields): FieldMap {
  const expose = (t as Builder).expose.bind(t) as unknown as Expose;
  const exposed = Object.entries(fields).filter(
    ([property, { internal, items, object, members }]) =>
      property !== 'id' && internal !== true && (items ?? object ?? members) === undefined,
  );
  return Object.fromEntries(
    exposed.map(([property, field]) => {
      const { type, nullable = false, optional = false, description } = field;
      if (isMoney(field)) return [property, moneyField(t, property, field, fields)];
      return [
        property,
        expose(property, { type: graphqlTypeOf(type), nullable: nullable || optional, description }),
      ];
    }),
  );
}
