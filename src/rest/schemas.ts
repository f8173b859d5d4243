// JSON Schemas (draft 2020-12) of what REST shows, made from the descriptions of nouns.
import { type JsonSchema as Schema, TEXT_FORMATS, typeOf } from '../resources/field-types.ts';
import {
  defaultSentence,
  type Field,
  type Fields,
  givenDescription,
  isRequired,
  type Moment,
  nounNamedBy,
  type Resource,
  restNameOf,
} from '../resources/resource.ts';

export type { Schema };

/** A reference to a schema among the document's components. */
export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema of one object of a noun. */
export function resourceSchema({ fields, description }: Pick<Resource, 'fields' | 'description'>): Schema {
  return { description, ...objectSchema(fields) };
}

/** A response object with all of these fields. */
export function objectSchema(fields: Fields): Schema {
  const shown = Object.entries(fields).filter(([, { internal }]) => internal !== true);
  return {
    type: 'object',
    properties: Object.fromEntries(
      shown.map(([property, field]) => [restNameOf(property, field), shownSchema(property, field)]),
    ),
    required: shown
      .filter(([, { optional, expand }]) => optional !== true && expand !== true)
      .map(([property, field]) => restNameOf(property, field)),
  };
}

function shownSchema(property: string, field: Field): Schema {
  if (field.expand !== true) return fieldSchema(field);
  const description = `${field.description} Only with \`expand[]=${restNameOf(property, field)}\`.`;
  return fieldSchema({ ...field, description });
}

/** A request object that may have any of these fields. */
export function givenSchema(fields: Fields, moment: Moment): Schema {
  const given = Object.entries(fields).filter(([, { internal }]) => internal !== true);
  const required = given.filter(([, field]) => isRequired(field, moment));
  return {
    type: 'object',
    properties: Object.fromEntries(
      given.map(([property, field]) => [restNameOf(property, field), givenFieldSchema(field, moment)]),
    ),
    ...(required.length > 0 && {
      required: required.map(([property, field]) => restNameOf(property, field)),
    }),
  };
}

/** An object whose only member is another object. */
export function wrappedSchema(name: string, schema: Schema): Schema {
  return { type: 'object', properties: { [name]: schema }, required: [name] };
}

function givenFieldSchema(field: Field, moment: Moment): Schema {
  const { type, values, maxLength, members, object, items } = field;
  // Not as `default`: generators of clients then take the member for one that has to be given.
  const sentences = [givenDescription(field, moment), defaultSentence(field, moment)];
  const described = { ...field, description: sentences.filter((sentence) => sentence !== null).join(' ') };
  if (members !== undefined)
    return {
      ...fieldSchema(described),
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    };
  if (object !== undefined) return withNull(described, givenSchema(object, moment));
  if (items !== undefined)
    return {
      type: 'array',
      items: givenSchema(items, moment),
      ...(isRequired(field, moment) && { minItems: 1 }),
      maxItems: maxLength,
      description: described.description,
    };
  const given = takenSchema(field);
  const { isList } = typeOf(type);
  const shown =
    given === undefined || values !== undefined ? fieldSchema(described) : withNull(described, given);
  if (maxLength === undefined) return shown;
  return { ...shown, ...(isList || field.items !== undefined ? { maxItems: maxLength } : { maxLength }) };
}

/** The schema of the value that clients send, where it is not the one that REST shows. */
function takenSchema(field: Field): Schema | undefined {
  const { type, restAsText } = field;
  if (restAsText !== true) return typeOf(type).givenSchema;
  if (type === 'bool') return { type: ['boolean', 'string'], enum: [true, false, 'true', 'false'] };
  return nounNamedBy(field) === undefined ? typeOf(type).givenSchema : { type: ['integer', 'string'] };
}

/** A text that is one of a few values. Used for a single value too, because client generators read `const` as any value. */
export function enumSchema(...values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

/** The schema of one field's value. */
export function fieldSchema(field: Field): Schema {
  const { description, nullable, values, format } = field;
  // Client generators do not accept null among the values of an enum.
  if (values !== undefined)
    return nullable === true
      ? { anyOf: [enumSchema(...values), { type: 'null' }], description }
      : { ...enumSchema(...values), description };
  return withNull(field, { ...valueSchema(field), ...(format && TEXT_FORMATS[format].schema) });
}

/** The schema of a field's value, which may be null besides. */
function withNull({ nullable, description }: Field, { type, ...rest }: Schema): Schema {
  return {
    ...(type !== undefined && { type: nullable === true ? [type, 'null'].flat() : type }),
    ...rest,
    description,
  };
}

/** What names an object in a path: its integer id, or its public id. */
export const REF_SCHEMA: Schema = {
  anyOf: [typeOf('int8').schema, { type: 'string', pattern: '^[A-Za-z]{6,}$' }],
};

function valueSchema(field: Field): Schema {
  const { type, restAsNumber, restAsText, items, object, members, schema } = field;
  if (schema !== undefined) return schema;
  if (object !== undefined) return objectSchema(object);
  if (items !== undefined) return { type: 'array', items: objectSchema(items) };
  if (members !== undefined) return { type: 'object', additionalProperties: { type: 'string' } };
  if (restAsText === true)
    return type === 'bool' ? enumSchema('true', 'false') : { type: 'string', pattern: '^-?\\d+$' };
  return restAsNumber === true ? { type: 'integer', minimum: 0, maximum: 1 } : typeOf(type).schema;
}
