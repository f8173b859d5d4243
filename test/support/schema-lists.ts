// Every list of the GraphQL schema, with a query that reaches it from the root through other lists and selects all fields of its objects.
import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { typeOptions } from '../../src/graphql/field-options.ts';
import { schema } from '../../src/graphql/schema.ts';
import { LOOK_UPS } from './schema-operations.ts';

type Field = GraphQLField<unknown, unknown>;
type OfFields = GraphQLObjectType | GraphQLInterfaceType;

interface SchemaList {
  /** `Type.field` */
  readonly name: string;
  readonly query: string;
}

const isOfFields = (type: GraphQLNamedType): type is OfFields => isObjectType(type) || isInterfaceType(type);
const isConnection = (field: Field) => typeOptions(getNamedType(field.type)).isConnection === true;
const isList = (field: Field) => isConnection(field) || isListType(getNullableType(field.type));

/** The type of the objects of a list, or of the one object of a field. */
function objectsOf(field: Field): OfFields | null {
  const type = getNamedType(field.type);
  if (!isOfFields(type)) return null;
  if (!isConnection(field)) return type;
  const nodes = type.getFields()['nodes'];
  return nodes === undefined ? null : objectsOf(nodes);
}

/** The fields that can be selected without arguments. Root fields that find one object need one of several. */
function fieldsOf(type: OfFields): Field[] {
  return Object.values(type.getFields()).filter(
    ({ name, args }) => !args.some(isRequiredArgument) && !(type.name === 'Query' && LOOK_UPS.has(name)),
  );
}

/** A field with a selection of its objects, for a connection of this many. */
function select(field: Field, selection: string, rows: number): string {
  return isConnection(field)
    ? `${field.name}(first: ${rows}) { nodes { ${selection} } }`
    : `${field.name} { ${selection} }`;
}

/** The objects to which an object refers, which are read after it, and then all its own fields. */
function everythingOf(type: OfFields): string {
  const fields = fieldsOf(type);
  const objects = fields.filter((field) => objectsOf(field) !== null && !isList(field));
  const leaves = fields.filter(({ type }) => isLeafType(getNamedType(type)));
  const referred = objects.map(({ name }) => `${name} { __typename }`);
  return ['__typename', ...referred, ...leaves.map(({ name }) => name)].join(' ');
}

function build(): SchemaList[] {
  const root = schema.getQueryType();
  if (root == null) throw new Error('There is no Query.');
  const lists: SchemaList[] = [];
  const ways = new Map<OfFields, (selection: string) => string>([[root, (selection) => `{ ${selection} }`]]);
  for (const [type, wrap] of ways) {
    for (const field of fieldsOf(type)) {
      const objects = objectsOf(field);
      if (objects === null || objects.name.startsWith('__')) continue;
      if (isList(field))
        lists.push({
          name: `${type.name}.${field.name}`,
          query: wrap(select(field, everythingOf(objects), 4)),
        });
      if (!ways.has(objects)) ways.set(objects, (selection) => wrap(select(field, selection, 2)));
    }
  }
  return lists;
}

/** Every list that queries reach, in the order of the search. */
export const SCHEMA_LISTS: readonly SchemaList[] = build();
