// JSON Schemas (draft 2020-12) of REST's requests and responses, made from the descriptions of nouns.
import {
  defaultSentence,
  type Field,
  type Fields,
  givenDescription,
  isRequired,
  type Moment,
  type Resource,
  restNameOf,
} from '../resources/resource.ts';

/** A JSON Schema as in OpenAPI 3.1. */
export type Schema = Readonly<Record<string, unknown>>;

/** A reference to a schema among the document's components. */
export function schemaRef(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema of one object of a noun. */
export function resourceSchema({ fields, description }: Resource): Schema {
  return { description, ...objectSchema(fields) };
}

/** A response object with all of these fields. */
export function objectSchema(fields: Fields, omitted: readonly string[] = []): Schema {
  const shown = Object.entries(fields).filter(
    ([property, { internal }]) => internal !== true && !omitted.includes(property),
  );
  return {
    type: 'object',
    properties: Object.fromEntries(
      shown.map(([property, field]) => [restNameOf(property, field), fieldSchema(field)]),
    ),
    required: shown
      .filter(([, { optional }]) => optional !== true)
      .map(([property, field]) => restNameOf(property, field)),
  };
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

/** An id in a request. */
const GIVEN_ID: Schema = { type: ['integer', 'string'], pattern: '^\\d{1,19}$' };

function givenFieldSchema(field: Field, moment: Moment): Schema {
  const { type, nullable, maxLength, members } = field;
  // The default is stated in words: client generators treat a member with `default` as one that must be sent.
  const sentences = [givenDescription(field, moment), defaultSentence(field, moment)];
  const description = sentences.filter((sentence) => sentence !== null).join(' ');
  const shown = fieldSchema({ ...field, description });
  if (members !== undefined)
    return { ...shown, additionalProperties: { type: ['string', 'number', 'boolean', 'null'] } };
  if (type === 'int8[]') return { ...shown, items: GIVEN_ID, maxItems: maxLength };
  if (type === 'text[]') return { ...shown, maxItems: maxLength };
  if (type !== 'int8') return { ...shown, ...(maxLength !== undefined && { maxLength }) };
  return { ...GIVEN_ID, ...(nullable === true && { type: ['integer', 'string', 'null'] }), description };
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
  const { type, ...rest } = valueSchema(field);
  return {
    ...(type !== undefined && { type: nullable === true ? [type, 'null'] : type }),
    ...rest,
    ...(format === 'uuid' && { format }),
    ...(format === 'color' && { pattern: '^#[0-9a-fA-F]{6}$' }),
    description,
  };
}

const INTEGER: Schema = { type: 'integer', format: 'int64' };

/** The id of an object in a path: its integer id or its public id. */
export const REF_SCHEMA: Schema = { anyOf: [INTEGER, { type: 'string', pattern: '^[A-Za-z]{6,}$' }] };

function valueSchema({ type, restAsNumber, restOmits, items, object, members }: Field): Schema {
  if (object !== undefined) return objectSchema(object);
  if (items !== undefined) return { type: 'array', items: objectSchema(items, restOmits) };
  if (members !== undefined) return { type: 'object', additionalProperties: { type: 'string' } };
  switch (type) {
    case 'int8':
      return INTEGER;
    case 'int4':
      return { type: 'integer', format: 'int32' };
    case 'bool':
      return restAsNumber === true ? { type: 'integer', minimum: 0, maximum: 1 } : { type: 'boolean' };
    case 'timestamp':
      return { type: 'string', format: 'date-time' };
    case 'text[]':
      return { type: 'array', items: { type: 'string' } };
    case 'int8[]':
      return { type: 'array', items: INTEGER };
    case 'jsonb':
    case 'json':
      // Any value.
      return {};
    default:
      return { type: 'string' };
  }
}
