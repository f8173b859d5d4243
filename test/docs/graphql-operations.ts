// The operation of GraphQL that does the same as an operation of REST, as text that can be run once its ids are filled in.
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  print,
  validate,
} from 'graphql';
import type { Route } from '../../src/rest/route.ts';
import { fieldsOf } from './operations-guide.ts';

/** The member `x-graphql` of an operation in openapi.json. */
export interface GraphqlOperation {
  /** `Type.field`, as in the schema. */
  readonly field: string;
  readonly operation: string;
  /** What the operation needs, with empty values. Absent: nothing. */
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** How many fields of an object are selected. */
const MAX_FIELDS = 4;
/** The fields that tell an object, most telling first. */
const TELLING = ['id', 'name', 'title', 'emailAddress', 'number', 'status', 'state', 'createdAt'];

/** @throws Error if the schema would refuse the operation; null if GraphQL has no field for the route */
export function graphqlOperationOf(schema: GraphQLSchema, route: Route): GraphqlOperation | null {
  const [path] = fieldsOf(schema, route);
  if (path === undefined) return null;
  const written = path.startsWith('Mutation.') ? writeMutation(schema, path) : writeQuery(schema, path);
  const operation = print(parse(written.text));
  const [error] = validate(schema, parse(operation));
  if (error !== undefined) throw new Error(`${route.operationId}: ${error.message} in ${operation}`);
  return { field: path, operation, ...(written.variables !== undefined && { variables: written.variables }) };
}

type Written = { text: string; variables?: Record<string, unknown> };

function writeMutation(schema: GraphQLSchema, path: string): Written {
  const field = fieldAt(schema, path);
  const [input] = field.args;
  if (input === undefined) return { text: `mutation { ${field.name}${selectionOf(field.type, 1)} }` };
  return {
    text: `mutation ($input: ${input.type}) { ${field.name}(input: $input)${selectionOf(field.type, 1)} }`,
    variables: { input: emptyValue(input.type) },
  };
}

/** A query for a field, from the root down to it. */
function writeQuery(schema: GraphQLSchema, path: string): Written {
  const [typeName = '', name = ''] = path.split('.');
  const field = fieldAt(schema, path);
  if (path === 'Query.node')
    return { text: 'query ($id: ID!) { node(id: $id) { id } }', variables: { id: '' } };
  const leaf = `${name}${argumentsOf(field)}${selectionOf(field.type, 2)}`;
  if (typeName === 'Query') return withKey(field, leaf);
  if (typeName === 'Viewer') return { text: `{ viewer { ${leaf} } }` };
  const root = fieldAt(schema, `Query.${typeName.charAt(0).toLowerCase()}${typeName.slice(1)}`, false);
  if (root === null)
    return {
      text: `query ($id: ID!) { node(id: $id) { ... on ${typeName} { ${leaf} } } }`,
      variables: { id: '' },
    };
  return withKey(root, `${root.name}${argumentsOf(root)} { ${leaf} }`);
}

/** The query of a field that takes the key of an object. */
function withKey({ args }: GraphQLField<unknown, unknown>, selection: string): Written {
  const key = args.find(({ name }) => name === 'by' || name === 'id');
  if (key === undefined) return { text: `{ ${selection} }` };
  return {
    text: `query ($${key.name}: ${key.type}) { ${selection} }`,
    variables: { [key.name]: key.name === 'by' ? { databaseId: 1 } : '' },
  };
}

function argumentsOf({ args }: GraphQLField<unknown, unknown>): string {
  const given = args.flatMap((argument) => {
    if (argument.name === 'by' || argument.name === 'id') return [`${argument.name}: $${argument.name}`];
    if (argument.name === 'first') return ['first: 10'];
    return isNonNullType(argument.type) && argument.defaultValue === undefined
      ? [`${argument.name}: ${literalOf(argument)}`]
      : [];
  });
  return given.length === 0 ? '' : `(${given.join(', ')})`;
}

function literalOf({ type }: GraphQLArgument): string {
  const named = getNamedType(type);
  if (isEnumType(named)) return named.getValues()[0]?.name ?? '';
  return named.name === 'Int' ? '1' : '""';
}

/** The selection of a type's telling fields; '' for a leaf. @param depth how many levels of objects are selected */
function selectionOf(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (!(isObjectType(named) || isInterfaceType(named))) return ' { __typename }';
  const fields = named.getFields();
  if (fields['nodes'] !== undefined) return ` { nodes${selectionOf(fields['nodes'].type, depth)} }`;
  const leaves = Object.values(fields).filter(
    ({ type: of, args }) => isLeafType(getNamedType(of)) && args.length === 0,
  );
  const chosen = [
    ...TELLING.flatMap((name) => leaves.filter((leaf) => leaf.name === name)),
    ...leaves.filter(({ name }) => !TELLING.includes(name)),
  ]
    .slice(0, MAX_FIELDS)
    .map(({ name }) => name);
  const below =
    depth === 0 || !isPayload(named)
      ? []
      : Object.values(fields)
          .filter(
            ({ name, type: of, args }) => !isEdge(name) && !isLeafType(getNamedType(of)) && args.length === 0,
          )
          .map((field) => `${field.name}${selectionOf(field.type, depth - 1)}`);
  const all = [...chosen, ...below];
  return ` { ${all.length === 0 ? '__typename' : all.join(' ')} }`;
}

/** Whether a field of an answer is the edge of what another field has. */
const isEdge = (name: string): boolean => name.endsWith('Edge');

/** Whether a type is what a mutation answers. */
const isPayload = ({ name }: { readonly name: string }): boolean => name.endsWith('Payload');

/** An input's required fields, with empty values. */
function emptyValue(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return emptyValue(type.ofType);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (!isInputObjectType(type)) return { Int: 0, Float: 0, Boolean: false, BigInt: 0 }[type.name] ?? '';
  const fields = Object.values(type.getFields());
  return Object.fromEntries(
    fields
      .filter((field) => isNonNullType(field.type) && field.defaultValue === undefined)
      .map((field) => [field.name, emptyValue(field.type)]),
  );
}

function fieldAt(schema: GraphQLSchema, path: string): GraphQLField<unknown, unknown>;
function fieldAt(
  schema: GraphQLSchema,
  path: string,
  isRequired: false,
): GraphQLField<unknown, unknown> | null;
function fieldAt(
  schema: GraphQLSchema,
  path: string,
  isRequired = true,
): GraphQLField<unknown, unknown> | null {
  const [typeName = '', name = ''] = path.split('.');
  const field = (schema.getType(typeName) as GraphQLObjectType | undefined)?.getFields()[name];
  if (field === undefined && isRequired) throw new Error(`The schema has no ${path}.`);
  return field ?? null;
}
