// Every operation of GraphQL, made from the schema: for each field that returns objects, a query that reaches it by the shortest way and
// selects all its fields; for each mutation, one that selects all of its payload.
import {
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  Kind,
  parse,
} from 'graphql';
import { scopeOf, typeOptions } from '../../src/graphql/field-options.ts';
import { scopesOfPayload } from '../../src/graphql/payload-scopes.ts';
import { schema } from '../../src/graphql/schema.ts';

type Field = GraphQLField<unknown, unknown>;
type OfFields = GraphQLObjectType | GraphQLInterfaceType;

export interface SchemaOperation {
  /** `Type.field` */
  readonly name: string;
  readonly query: string;
  /** The names of its variables: `node_Contact` is the global id of a contact, `input` that of the mutation. */
  readonly variables: readonly string[];
  /** The place of the field in the answer. */
  readonly path: readonly string[];
  /** Every scope on the way to the field, and its own. */
  readonly scopes: readonly string[];
  readonly isMutation: boolean;
}

/** The root fields that find one object by its keys, with its type. */
export const LOOK_UPS: ReadonlyMap<string, string> = new Map(
  Object.values(schema.getQueryType()?.getFields() ?? {})
    .filter(({ args }) => args.some(({ name }) => name === 'by'))
    .map(({ name, type }) => [name, getNamedType(type).name]),
);

/** The arguments of root fields; other fields get arguments only if these are required. */
const ROOT_ARGUMENTS: Readonly<Record<string, string>> = {
  node: 'id: $node_Workspace',
  nodes: 'ids: [$node_Workspace, $node_Contact]',
  ...Object.fromEntries(LOOK_UPS.entries().map(([field, type]) => [field, `by: { id: $node_${type} }`])),
};

/** The required arguments of other fields. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  'ConditionalSplit.branchFor': 'contactId: $node_Contact',
  'Funnel.pagesFor': 'contactId: $node_Contact',
};

/** Fields that are null for every object of the type: nothing is reached by them. */
const DEAD_ENDS = ['ConditionalSplit.stats', 'SplitTest.stats'];

/** A way to objects of a type. */
interface Way {
  readonly wrap: (selection: string) => string;
  readonly path: readonly string[];
  readonly scopes: readonly string[];
}

/** The types of which a caller can fetch its own object alone, whose id it has from `viewer`. */
const OWN_TYPES = ['Viewer', 'OauthClient'];

const nodeType = schema.getType('Node');
/** The types of global ids: for a noun with kinds, their interface. */
export const NODE_TYPES: readonly OfFields[] = isInterfaceType(nodeType)
  ? [...new Set(schema.getPossibleTypes(nodeType).map((type) => kindsOf(type) ?? type))].filter(
      ({ name }) => !OWN_TYPES.includes(name),
    )
  : [];

/** The interface of the kinds to which a type belongs. */
function kindsOf(type: GraphQLObjectType): GraphQLInterfaceType | undefined {
  return type.getInterfaces().find((one) => typeOptions(one).kindBy !== undefined);
}

/** Whether a type has global ids or, where no type does, is a type of objects. */
function isOwn(type: GraphQLNamedType): type is OfFields {
  return isObjectType(type)
    ? kindsOf(type) === undefined
    : isInterfaceType(type) && NODE_TYPES.includes(type);
}

/** The scopes of a field: its own, or of the type that it returns. */
function scopesOf(field: Field): string[] {
  const scope = scopeOf(field);
  return scope === null ? [] : [scope];
}

/** The ways to the types of objects that queries reach; types with a global id are reached by it. */
function waysToTypes(): Map<string, Way> {
  const ways = new Map<string, Way>();
  const query = schema.getQueryType();
  if (query == null) throw new Error('There is no Query.');
  ways.set(query.name, { wrap: (selection) => selection, path: [], scopes: [] });
  for (const type of NODE_TYPES) {
    const { scope } = typeOptions(type);
    ways.set(type.name, {
      wrap: (selection) => `node(id: $node_${type.name}) { ... on ${type.name} { ${selection} } }`,
      path: ['node'],
      scopes: scope == null ? [] : [scope],
    });
  }
  const reached = [...ways.keys()];
  for (const name of reached) {
    const type = schema.getType(name);
    const way = ways.get(name);
    if (type === undefined || !isOwn(type) || way === undefined) continue;
    for (const field of Object.values(type.getFields())) {
      const to = getNamedType(field.type);
      if (!isOwn(to) || ways.has(to.name) || !isAskable(type, field)) continue;
      if (DEAD_ENDS.includes(`${type.name}.${field.name}`)) continue;
      ways.set(to.name, {
        wrap: (selection) => way.wrap(`${asked(type, field)} { ${selection} }`),
        path: [...way.path, field.name],
        scopes: [...way.scopes, ...scopesOf(field)],
      });
      reached.push(to.name);
    }
  }
  return ways;
}

function isAskable(type: GraphQLNamedType, field: Field): boolean {
  return !field.args.some(isRequiredArgument) || givenTo(type, field) !== undefined;
}

function givenTo(type: GraphQLNamedType, { name }: Field): string | undefined {
  return type.name === 'Query' ? ROOT_ARGUMENTS[name] : ARGUMENTS[`${type.name}.${name}`];
}

function asked(type: GraphQLNamedType, field: Field): string {
  const { name } = field;
  const given = givenTo(type, field);
  return given === undefined ? name : `${name}(${given})`;
}

/** All fields of an object itself; for a connection also its nodes. */
function selectionOf(type: GraphQLNamedType, depth = 0): string {
  if (isLeafType(type)) return '';
  if (!isObjectType(type) && !isInterfaceType(type)) return '{ __typename }';
  const said = Object.values(type.getFields()).flatMap((field) => {
    if (field.args.some(isRequiredArgument)) return [];
    const returned = getNamedType(field.type);
    if (isLeafType(returned)) return [field.name];
    return field.name === 'nodes' && depth === 0 ? [`nodes ${selectionOf(returned, 1)}`] : [];
  });
  return `{ __typename ${said.join(' ')} }`;
}

const variablesOf = (query: string) => [
  ...new Set(Array.from(query.matchAll(/\$(\w+)/g), ([, name = '']) => name)),
];

function queryOf(type: OfFields, field: Field, way: Way): SchemaOperation {
  const selected = `${asked(type, field)} ${selectionOf(getNamedType(field.type))}`;
  const body = way.wrap(selected);
  const variables = variablesOf(body);
  const declared = variables.map((name) => `$${name}: ID!`).join(', ');
  return {
    name: `${type.name}.${field.name}`,
    query: `query ${declared && `(${declared})`} { ${body} }`,
    variables,
    path: [...way.path, field.name],
    scopes: [...new Set([...way.scopes, ...scopesOf(field)])],
    isMutation: false,
  };
}

/** The scopes that are needed to read the selected part of a mutation's payload. */
function scopesShown(field: Field, selected: string): Iterable<string> {
  const [operation] = parse(`mutation { ${selected} }`).definitions;
  const nodes = operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections : [];
  return scopesOfPayload(
    { schema, fragments: new Map() },
    field,
    nodes.filter((node) => node.kind === Kind.FIELD),
  );
}

/** The scopes of mutations whose input decides on them, for the input that tests give (tenant-mutations.ts). */
const SCOPE_OF_INPUT: Readonly<Record<string, string>> = {
  addTags: 'contacts:write',
  removeTags: 'contacts:write',
};

function mutationOf(type: OfFields, field: Field): SchemaOperation {
  const [input] = field.args;
  const shown = selectionOf(getNamedType(field.type)).replace(/\}$/, 'userErrors { code } }');
  const body = `${field.name}(input: $input) ${shown}`;
  return {
    name: `${type.name}.${field.name}`,
    query: `mutation ($input: ${input?.type}) { ${body} }`,
    variables: ['input'],
    path: [field.name],
    scopes: [...new Set([...scopesOfMutation(field), ...scopesShown(field, body)])],
    isMutation: true,
  };
}

function scopesOfMutation(field: Field): string[] {
  const scope = SCOPE_OF_INPUT[field.name];
  return scope === undefined ? scopesOf(field) : [scope];
}

/** Whether a field returns objects, or needs a scope. */
function isRow(field: Field): boolean {
  return !isLeafType(getNamedType(field.type)) || scopeOf(field) !== null;
}

/** The own fields of a connection and of an edge: their content is selected where the connection is. */
function isPart({ name }: GraphQLNamedType): boolean {
  return /(Connection|Edge)$/.test(name);
}

function build(): SchemaOperation[] {
  const ways = waysToTypes();
  const mutation = schema.getMutationType();
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (!isOwn(type) || type.name.startsWith('__') || isPart(type)) return [];
    const fields = Object.values(type.getFields());
    if (type === mutation) return fields.map((field) => mutationOf(type, field));
    const way = ways.get(type.name);
    if (way === undefined) return [];
    return fields
      .filter((field) => isRow(field) && isAskable(type, field))
      .map((field) => queryOf(type, field, way));
  });
}

/** All operations, in the order of the schema. */
export const SCHEMA_OPERATIONS: readonly SchemaOperation[] = build();

/** `Type.field` of every field that needs a scope, except those of connections, edges and mutation payloads. */
export function scopedFields(): string[] {
  return Object.values(schema.getTypeMap()).flatMap((type) => {
    if (!isOwn(type) || isPart(type) || type.name.endsWith('Payload')) return [];
    return Object.values(type.getFields())
      .filter((field) => scopeOf(field) !== null)
      .map((field) => `${type.name}.${field.name}`);
  });
}
