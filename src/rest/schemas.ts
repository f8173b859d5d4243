// Makes the JSON Schemas (draft 2020-12) of REST from the descriptions of nouns.
import { type JsonSchema as Schema, TEXT_FORMATS, typeOf } from '../resources/description/field-types.ts';
import {
  type Field,
  type Fields,
  fieldsInParent,
  isExpandable,
  referencedNoun,
} from '../resources/description/fields.ts';
import {
  defaultSentence,
  inputDescription,
  inRest,
  isRequired,
  type Moment,
} from '../resources/description/inputs.ts';
import { restNameOf } from '../resources/description/names.ts';
import type { Resource } from '../resources/description/resource.ts';

export type { Schema };

/** Marks an operation or a member that the public API does not have. */
export const ORIGIN = { 'x-origin': 'gateway' } as const;

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
  const visible = Object.entries(fields).filter(([, { internal }]) => internal !== true);
  return {
    type: 'object',
    properties: Object.fromEntries(
      visible.map(([property, field]) => [
        restNameOf(property, field),
        withOrigin(field.gatewayOnly !== undefined, outputSchema(property, field)),
      ]),
    ),
    required: visible
      .filter(([, field]) => field.optional !== true && !isExpandable(field))
      .map(([property, field]) => restNameOf(property, field)),
  };
}

function withOrigin(isOurs: boolean, schema: Schema): Schema {
  return isOurs ? { ...schema, ...ORIGIN } : schema;
}

function outputSchema(property: string, field: Field): Schema {
  if (!isExpandable(field)) return fieldSchema(field);
  const description = `${field.description} Only with \`expand[]=${restNameOf(property, field)}\`.`;
  return fieldSchema({ ...field, description });
}

/** A request object with these fields. @param isItem whether it is an item of a list, whose members are required unless `optional` */
export function requestSchema(fields: Fields, moment: Moment, isItem = false): Schema {
  const visible = Object.entries(fields).filter(([, field]) => field.internal !== true && inRest(field));
  const isNeeded = (field: Field) => (isItem ? field.optional !== true : isRequired(field, moment));
  const required = visible.filter(([, field]) => isNeeded(field));
  // Null for a member that is not required counts as not given.
  const form = (field: Field): Field =>
    isNeeded(field) || field.refusesNull === true ? field : { ...field, nullable: true };
  return {
    type: 'object',
    properties: Object.fromEntries(
      visible.map(([property, field]) => [
        restNameOf(property, field),
        withOrigin(field.gatewayOnly === true, inputFieldSchema(form(field), moment)),
      ]),
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

function inputFieldSchema(field: Field, moment: Moment): Schema {
  const { type, values, synonyms = {}, maxLength, members, object, items } = field;
  // Not as `default`, which makes client generators treat the member as required.
  const sentences = [inputDescription(field, moment), defaultSentence(field, moment)];
  const described = {
    ...field,
    ...(values && { values: [...values, ...Object.values(synonyms)] }),
    description: sentences.filter((sentence) => sentence !== null).join(' '),
  };
  if (members !== undefined)
    return {
      ...fieldSchema(described),
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    };
  if (object !== undefined) return withNull(described, requestSchema(object, moment));
  if (items !== undefined)
    return withNull(described, {
      type: 'array',
      items: requestSchema(items, moment, true),
      ...(isRequired(field, moment) && { minItems: 1 }),
      maxItems: maxLength,
    });
  const ownSchema = inputSchema(field);
  const { isList } = typeOf(type);
  const schema =
    ownSchema === undefined || values !== undefined ? fieldSchema(described) : withNull(described, ownSchema);
  if (maxLength === undefined) return schema;
  return { ...schema, ...(isList || field.items !== undefined ? { maxItems: maxLength } : { maxLength }) };
}

/** The schema of the value that clients send, if it differs from that of the value that REST returns. */
function inputSchema(field: Field): Schema | undefined {
  const { type, restAsText } = field;
  if (isNumber(field)) return { anyOf: [NUMBER, { type: 'string', ...typeOf(type).givenSchema }] };
  if (restAsText !== true) return typeOf(type).givenSchema;
  if (type === 'bool') return { anyOf: [{ type: 'boolean' }, enumSchema('true', 'false')] };
  return referencedNoun(field) === undefined
    ? typeOf(type).givenSchema
    : { anyOf: [{ type: 'integer' }, { type: 'string' }] };
}

/** A text that is one of a few values. Used for a single value too, because client generators read `const` as any value. */
export function enumSchema(...values: readonly string[]): Schema {
  return { type: 'string', enum: values };
}

/** The schema of one field's value. */
export function fieldSchema(field: Field): Schema {
  const { values, format, nullElsewhere, nullable = nullElsewhere } = field;
  const nullableField = { ...field, ...(nullable && { nullable }) };
  if (values !== undefined) return withNull(nullableField, enumSchema(...values));
  return withNull(nullableField, { ...valueSchema(field), ...(format && TEXT_FORMATS[format].schema) });
}

/**
 * The schema of a field's value, with null if the field is nullable. A pattern or an enum gets a schema of its own in `anyOf`: client generators
 * would apply the pattern to null too, and do not accept null among the values of an enum.
 */
function withNull({ nullable, description }: Field, schema: Schema): Schema {
  const { anyOf, type } = schema;
  if (nullable !== true || (anyOf ?? type) === undefined) return { ...schema, description };
  const NULL = { type: 'null' };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, NULL], description };
  if ('pattern' in schema || 'enum' in schema) return { anyOf: [schema, NULL], description };
  return { ...schema, type: [type, 'null'], description };
}

/** The id of an object in a path: its integer id or its public id. */
export const REF_SCHEMA: Schema = {
  anyOf: [typeOf('int8').schema, { type: 'string', pattern: '^[A-Za-z]{6,}$' }],
};

function valueSchema(field: Field): Schema {
  const { type, restAsNumber, restAsText, items, object, members, schema } = field;
  if (schema !== undefined) return schema;
  if (object !== undefined) return objectSchema(fieldsInParent(object));
  if (items !== undefined) return { type: 'array', items: objectSchema(fieldsInParent(items)) };
  if (members !== undefined) return { type: 'object', additionalProperties: { type: 'string' } };
  if (restAsText === true)
    return type === 'bool' ? enumSchema('true', 'false') : { type: 'string', pattern: '^-?\\d+$' };
  if (isNumber(field)) return NUMBER;
  return restAsNumber === true ? { type: 'integer', minimum: 0, maximum: 1 } : typeOf(type).schema;
}

const NUMBER: Schema = { type: 'number' };

/** Whether REST shows the decimal as a number. */
function isNumber({ type, restAsNumber }: Field): boolean {
  return type === 'decimal' && restAsNumber === true;
}
