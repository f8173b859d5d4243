// The table of docs/graphql.md that compares the schema with two others. Our column is counted. Pure.
import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';

const TABLE = /^\| counted \|[^\n]*\n(?:\|[^\n]*\n)+/m;

/** A row: what is counted, our count, and those of GitHub's schema of July 2026 and Shopify's Admin API of January 2026; `–`: not counted. */
type Row = readonly [what: string, ours: string, github: string, shopify: string];

interface OutputField {
  readonly of: string;
  readonly field: GraphQLField<unknown, unknown>;
}

/** The guide with the correct table. @throws Error for a text without one */
export function withSchemaCounts(guide: string, schema: GraphQLSchema, sdl: string): string {
  if (!TABLE.test(guide)) throw new Error('The guide has no table of counts.');
  const rows = countRows(schema, sdl).map((row) => `| ${row.join(' | ')} |\n`);
  return guide.replace(
    TABLE,
    () => `| counted | here | GitHub | Shopify Admin |\n|---|---|---|---|\n${rows.join('')}`,
  );
}

function countRows(schema: GraphQLSchema, sdl: string): Row[] {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const count = (is: (type: GraphQLNamedType) => boolean) => types.filter(is).length;
  const objects = types.filter(isObjectType);
  const outputs: OutputField[] = [...objects, ...types.filter(isInterfaceType)].flatMap((type) =>
    Object.values(type.getFields()).map((field) => ({ of: type.name, field })),
  );
  const connections = outputs.filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'));
  const nonNull = connections.filter(({ field }) => isNonNullType(field.type));
  const payloads = objects.filter(({ name }) => name.endsWith('Payload'));
  const plumbing = objects.filter(({ name }) => /(?:Connection|Edge|Payload|PageInfo)$/.test(name));
  const orders = types.filter(isEnumType).filter(({ name }) => name.endsWith('OrderField'));
  const orderFields = new Set(orders.flatMap((type) => type.getValues().map(({ name }) => name)));
  const fieldsOf = (type: GraphQLObjectType | null | undefined) =>
    Object.keys(type?.getFields() ?? {}).length;
  return [
    ['bytes of the schema', thousands(sdl.length), '1,223,834', '–'],
    [
      'object, input and enum types',
      `${objects.length}, ${count(isInputObjectType)}, ${count(isEnumType)}`,
      '924, 368, 231',
      '1,328, 506, 492',
    ],
    ['interfaces and unions', `${count(isInterfaceType)}, ${count(isUnionType)}`, '45, 43', '–, 42'],
    [
      'queries and mutations',
      `${fieldsOf(schema.getQueryType())}, ${fieldsOf(schema.getMutationType())}`,
      '31, 247',
      '237, 462',
    ],
    [
      'fields with a connection that are non-null',
      `${nonNull.length} of ${connections.length}`,
      '259 of 331',
      '180 of 187',
    ],
    ['ids of other objects as fields', `${outputs.filter(isIdOfAnother).length}`, '0', '–'],
    ['types of orders, and what they order by', `${orders.length}, ${orderFields.size}`, '63, –', '62, –'],
    [
      'lists with a search',
      `${connections.filter(({ field }) => field.args.some(({ name }) => name === 'search')).length}`,
      'one field',
      'most',
    ],
    [
      'payloads with `userErrors`',
      `${payloads.filter((type) => 'userErrors' in type.getFields()).length} of ${payloads.length}`,
      '0 of 247',
      '459 of 462',
    ],
    [
      'object types that are plumbing: connections, edges, payloads',
      `${Math.round((100 * plumbing.length) / objects.length)} %`,
      '58 %',
      '60 %',
    ],
  ];
}

/** Outputs that hold an id which is no object's here: of another system, of a request, or a code. */
export const IDS_OF_OTHER_SYSTEMS = [
  'clientId',
  'eventTypeId',
  'eventTypeIds',
  'externalAddressFilterId',
  'externalId',
  'externalTaxCategoryId',
  'requestId',
];

/** A field with the id of another object. Payloads name what was deleted; `subjectId` names what may be deleted. */
function isIdOfAnother({ of, field: { name, type } }: OutputField): boolean {
  if (of.endsWith('Payload') || !isLeafType(getNamedType(type))) return false;
  return (
    /[a-z]Ids?$/.test(name) &&
    ![...IDS_OF_OTHER_SYSTEMS, 'databaseId', 'publicId', 'subjectId'].includes(name)
  );
}

function thousands(value: number): string {
  return value.toLocaleString('en-US');
}
