// The GraphQL fields of a resource, from its description: each exposes a property of the row. Also makes the types of objects that are not nouns.
import type { FieldMap, ObjectRef } from '@pothos/core';
import type { Scope } from '../auth/scopes.ts';
import { typeOf } from '../resources/description/field-types.ts';
import { type Field, type Fields, type RowOf, referencedNoun } from '../resources/description/fields.ts';
import { graphqlNameOf } from '../resources/description/names.ts';
import { builder, type Types } from './builder.ts';
import { closedSetOf, withEnumNames } from './closed-sets.ts';
import { assumedValues } from './field-options.ts';
import { isMoney, moneyField } from './money.ts';
import { defineScalarsOf } from './scalars.ts';

type Builder = PothosSchemaTypes.FieldBuilder<Types, unknown>;
type ObjectBuilder<Row> = PothosSchemaTypes.ObjectFieldBuilder<Types, Row>;
type Expose = (property: string, options: object) => FieldMap[string];

/** The GraphQL type of a field's values: an enum if they are a closed set, otherwise a scalar. */
export function graphqlTypeOf(field: Field): unknown {
  if (field.isBoolean === true) return 'Boolean';
  const { scalar, isList } = typeOf(field.type);
  const type = closedSetOf(field)?.ref ?? scalar;
  return isList ? [type] : type;
}

/**
 * The fields of a resource, except `id` (in GraphQL the global id), internal fields, fields that need an object type, ids of other
 * objects (outputs have the objects instead, references.ts), and the currencies of amounts.
 * @param selected the fields to make; absent: all
 * @param scopeFor the scope that a caller needs for a field, if not that of the object. The field is null without it
 */
export function resourceFields(
  t: object,
  fields: Fields,
  selected = fields,
  scopeFor: (property: string) => Scope | null = () => null,
): FieldMap {
  const expose = (t as Builder).expose.bind(t) as unknown as Expose;
  const currencies = new Set(Object.values(fields).map(({ currency }) => currency));
  const exposed = Object.entries(selected).filter(
    ([property, field]) =>
      property !== 'id' &&
      !currencies.has(property) &&
      isShown(field) &&
      (referencedNoun(field) ?? field.items ?? field.object ?? field.members) === undefined,
  );
  return Object.fromEntries(
    exposed.map(([property, field]) => {
      const { nullable = false, optional = false } = field;
      const name = graphqlNameOf(property, field);
      if (isMoney(field)) return [name, moneyField(t, property, field, fields)];
      if (field.isBoolean === true) return [name, booleanField(t, property, field)];
      if (field.spellings !== undefined) return [name, respelledField(t, property, field)];
      const { description } = withEnumNames(field);
      const scope = scopeFor(property);
      return [
        name,
        expose(property, {
          type: graphqlTypeOf(field),
          nullable: nullable || optional || scope !== null,
          description,
          ...(scope !== null && { scope, columns: [property] }),
        }),
      ];
    }),
  );
}

/** A text as a boolean; null if the text is neither. */
function booleanField(t: object, property: string, { description }: Field): FieldMap[string] {
  return (t as ObjectBuilder<Readonly<Record<string, string | null>>>).boolean({
    nullable: true,
    description,
    columns: [property],
    resolve(row) {
      const text = row[property]?.toLowerCase() ?? '';
      return ['true', 'false'].includes(text) ? text === 'true' : null;
    },
  });
}

/** A text of a closed list in which some values mean the same: only one of them is shown. */
function respelledField(t: object, property: string, field: Field): FieldMap[string] {
  const { spellings = {}, nullable = false } = field;
  return (t as ObjectBuilder<Readonly<Record<string, string | null>>>).field({
    type: graphqlTypeOf(field) as 'String',
    // Pothos cannot infer whether a boolean variable is true.
    nullable: nullable as true,
    description: withEnumNames(field).description,
    columns: [property],
    resolve(row) {
      const value = row[property] ?? null;
      return value === null ? null : (spellings[value] ?? value);
    },
  });
}

/** Whether GraphQL's outputs have a field. */
export function isShown({ internal, graphql }: Field): boolean {
  return internal !== true && graphql !== false && graphql !== 'input';
}

/** Defines the type of objects that are not nouns, from their description. @param more fields that `resourceFields` leaves out */
export function objectType<F extends Fields>(
  name: string,
  description: string,
  fields: F,
  more: (t: ObjectBuilder<RowOf<F>>) => FieldMap = () => ({}),
): ObjectRef<Types, RowOf<F>> {
  defineScalarsOf(fields);
  return builder.objectRef<RowOf<F>>(name).implement({
    description,
    fields: (t) => ({ ...resourceFields(t, fields), ...more(t) }),
  });
}

/** The fields whose values are objects, or lists of objects. @param types the type of each, by property */
export function objectFields(
  t: object,
  fields: Fields,
  types: Readonly<Record<string, ObjectRef<Types, object>>>,
): FieldMap {
  return Object.fromEntries(
    Object.entries(types).map(([property, type]) => {
      const { items, nullable = false, description, maxLength } = fields[property] as Field;
      const field = (t as ObjectBuilder<Readonly<Record<string, object>>>).field({
        type: items === undefined ? type : [type],
        // Pothos cannot infer whether a boolean variable is true.
        nullable: nullable as true,
        description,
        columns: [property],
        ...(items !== undefined && { rows: assumedValues(maxLength) }),
        resolve: (row) => row[property] as object,
      });
      return [graphqlNameOf(property, fields[property]), field];
    }),
  );
}
