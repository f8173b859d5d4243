// The GraphQL fields of a resource, from its description: each exposes a property of the row.
import type { FieldMap } from '@pothos/core';
import { typeOf } from '../resources/field-types.ts';
import type { Field, Fields } from '../resources/resource.ts';
import type { Types } from './builder.ts';
import { closedSetOf, withNames } from './closed-sets.ts';
import { isMoney, moneyField } from './money.ts';

type Builder = PothosSchemaTypes.FieldBuilder<Types, unknown>;
type Expose = (property: string, options: object) => FieldMap[string];

/** The GraphQL type of a field's values: an enum if they are a closed set, otherwise a scalar. */
export function graphqlTypeOf(field: Field): unknown {
  const { scalar, isList } = typeOf(field.type);
  const type = closedSetOf(field)?.ref ?? scalar;
  return isList ? [type] : type;
}

/**
 * The fields of a resource, except `id` (in GraphQL the global id), internal fields, and fields that need an object type.
 * @param shown those of them that are made; absent: all
 */
export function resourceFields(t: object, fields: Fields, shown = fields): FieldMap {
  const expose = (t as Builder).expose.bind(t) as unknown as Expose;
  const exposed = Object.entries(shown).filter(
    ([property, { internal, items, object, members }]) =>
      property !== 'id' && internal !== true && (items ?? object ?? members) === undefined,
  );
  return Object.fromEntries(
    exposed.map(([property, field]) => {
      const { nullable = false, optional = false } = field;
      if (isMoney(field)) return [property, moneyField(t, property, field, fields)];
      const { description } = withNames(field);
      return [
        property,
        expose(property, { type: graphqlTypeOf(field), nullable: nullable || optional, description }),
      ];
    }),
  );
}
