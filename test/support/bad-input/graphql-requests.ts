// Requests of GraphQL, made from schema.graphql: operations with hostile values anywhere, invalid documents, and envelopes that violate
// GraphQL over HTTP.
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { Tenant } from '../operations.ts';
import { globalIds, type Value, valueFor } from './graphql-values.ts';
import { headersOf } from './headers.ts';
import { mutate, mutateBytes, toJson, toText } from './json-text.ts';
import type { Random } from './random.ts';
import type { Authorization, BadRequest } from './request.ts';
import { BODIES, CONTENT_CODINGS, CONTENT_TYPES, JSON_VALUES, TEXTS } from './values.ts';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const QUERY = schema.getQueryType() as GraphQLObjectType;
const MUTATION = schema.getMutationType() as GraphQLObjectType;

/** One operation under construction. */
interface Draft {
  readonly random: Random;
  readonly ids: Readonly<Record<string, string>>;
  readonly variables: { readonly definition: string; readonly name: string; readonly json: string }[];
  /** How many values in a hundred are hostile. */
  readonly share: number;
}

type Field = GraphQLField<unknown, unknown>;

/** A request that is wrong, or may be. */
export function graphqlRequest(tenant: Tenant, authorization: Authorization, random: Random): BadRequest {
  const share = random.pick([0, 8, 8, 25]);
  const draft: Draft = { random, ids: globalIds(tenant), variables: [], share };
  const isMutation = random.percent(45);
  const fields = Array.from({ length: random.percent(85) ? 1 : 1 + random.int(4) }, (_, i) => {
    const field = random.pick(Object.values((isMutation ? MUTATION : QUERY).getFields()));
    return { name: field.name, text: `f${i}: ${fieldText(field, draft, 4)}` };
  });
  const definitions = draft.variables.map(({ name, definition }) => `$${name}: ${definition}`).join(', ');
  const head = `${isMutation ? 'mutation' : 'query'} Name${definitions === '' ? '' : `(${definitions})`}`;
  const document = mutateDocument(`${head} { ${fields.map(({ text }) => text).join(' ')} }`, random);
  const variables = `{${draft.variables.map(({ name, json }) => `"${name}":${json}`).join(',')}}`;
  const what = fields.map(({ name }) => name).join('+');
  return envelope({ what, document, variables, authorization, random });
}

function fieldText(field: Field, draft: Draft, depth: number): string {
  const { random } = draft;
  const given = field.args.filter((arg) => isRequiredArgument(arg) || random.percent(35));
  const args = given.map((arg) => {
    const value = valueFor(arg.name, arg.type, draft.ids, random, draft.share);
    return `${arg.name}: ${random.percent(35) ? variableFor(String(arg.type), value, draft) : value.inline}`;
  });
  if (random.percent(draft.share / 10)) args.push('unknown: 1');
  const directive = random.percent(3)
    ? random.pick([' @include(if: true)', ' @skip(if: null)', ' @unknown', ' @include', ' @deprecated'])
    : '';
  return `${field.name}${args.length > 0 ? `(${args.join(' ')})` : ''}${directive}${selection(field, draft, depth)}`;
}

function variableFor(type: string, { json }: Value, { variables, random }: Draft): string {
  const name = `v${variables.length}`;
  variables.push({
    name,
    json,
    definition: random.percent(95)
      ? type
      : random.pick(['String', 'Unknown!', 'Contact', '[Int', 'ID = 1', 'Int = "a"']),
  });
  return `$${name}`;
}

/** Some fields of the type that a field returns. */
function selection(field: Field, draft: Draft, depth: number): string {
  const { random } = draft;
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return random.percent(draft.share / 20) ? ' { id }' : '';
  const chosen = ['__typename'];
  const object = isObjectType(type) ? type : random.pick(schema.getPossibleTypes(type));
  for (const next of Object.values(object.getFields())) {
    const isLeaf = !isCompositeType(getNamedType(next.type));
    if (
      isLeaf
        ? random.percent(25)
        : depth > 0 && random.percent(next.name === 'nodes' || next.name === 'edges' ? 70 : 15)
    )
      chosen.push(fieldText(next, draft, depth - 1));
  }
  const inner = chosen.join(' ');
  return ` { ${object === type ? inner : `... on ${object.name} { ${inner} }`} }`;
}

/** Damages a document as a whole. */
function mutateDocument(document: string, random: Random): string {
  if (random.percent(88)) return document;
  const at = random.int(document.length + 1);
  return random.pick([
    () => document.slice(0, at),
    () => document.slice(0, at) + random.pick(TEXTS).slice(0, 100) + document.slice(at),
    () =>
      document.slice(0, at) +
      random.pick(['{', '}', '(', ')', '"', '"""', '#', '\0', '\ufeff', '...', '@', '$', '!', '|', '&']) +
      document.slice(at),
    () => document + document,
    () => `${document} query Name { __typename }`,
    () => `${document} fragment F on Query { ...F } fragment G on Query { ...F }`,
    () => `query { ...F } fragment F on Query { __typename ...G } fragment G on Query { ...F }`,
    () => 'query { a: __typename '.repeat(200),
    () => `{ ${'node(id: "a") { ... on Contact { workspace { contacts { nodes { workspace { '.repeat(10)}`,
    () => `{ ${'...on Query{'.repeat(40)}__typename${'}'.repeat(40)} }`,
    () => `{ ${Array.from({ length: 2_000 }, (_, i) => `a${i}: __typename`).join(' ')} }`,
    () => `{ __typename ${'@include(if: true) '.repeat(500)} }`,
    () => `query (${Array.from({ length: 300 }, (_, i) => `$v${i}: Int = ${i}`).join(' ')}) { __typename }`,
    () => `{ me(x: ${'['.repeat(3_000)} }`,
    () => 'subscription { __typename }',
    () => '{ __schema { types { fields { type { ofType { ofType { ofType { fields { name } } } } } } } } }',
    () => 'type Query { a: Int }',
    () => random.pick(TEXTS),
  ])();
}

interface Parts {
  readonly what: string;
  readonly document: string;
  readonly variables: string;
  readonly authorization: Authorization;
  readonly random: Random;
}

const ACCEPTS = [
  'application/json',
  'application/graphql-response+json',
  '*/*',
  'text/html',
  'application/xml',
  'text/event-stream',
  'multipart/mixed',
  ';',
  'application/graphql-response+json;q=0',
];

/** The document in a request, which is valid in most cases. */
function envelope({ what, document, variables, authorization, random }: Parts): BadRequest {
  const headers = headersOf(authorization, random);
  headers.push(['Accept', random.percent(88) ? 'application/json' : random.pick(ACCEPTS)]);
  if (random.percent(6)) {
    const query = `query=${encodeURIComponent(document.toWellFormed())}&variables=${random.percent(70) ? encodeURIComponent(variables) : random.pick(['', '%', '[]', '1', '%00', '{'])}`;
    const target = `/graphql?${query.slice(0, 12_000)}${random.percent(20) ? random.pick(['&query=a', '&operationName=%00', '&extensions=%5B', '&extensions=1', '&variables[a]=1']) : ''}`;
    return { what: `GET ${what}`, method: random.percent(95) ? 'GET' : 'HEAD', target, headers, body: null };
  }
  headers.push(['Content-Type', random.percent(97) ? 'application/json' : random.pick(CONTENT_TYPES)]);
  if (random.percent(2)) headers.push(['Content-Encoding', random.pick(CONTENT_CODINGS)]);
  const target = random.percent(98)
    ? '/graphql'
    : random.pick(['/graphql/', '/graphql?query={me{id}}', '/graphql?a[b]=%', '//graphql', '/GraphQL']);
  return {
    what,
    method: random.percent(99) ? 'POST' : random.pick(['PUT', 'DELETE', 'PATCH', 'OPTIONS']),
    target,
    headers,
    body: bodyOf(document, variables, random),
  };
}

function bodyOf(document: string, variables: string, random: Random): Buffer {
  if (random.percent(2)) return random.pick(BODIES);
  const query = JSON.stringify(document);
  const plain = `{"query":${query},"variables":${variables}}`;
  if (random.percent(85)) return Buffer.from(plain);
  const name = () => random.pick([...JSON_VALUES, '"Name"']);
  const odd = random.pick([
    () => `{"query":${query},"variables":${random.pick(JSON_VALUES)}}`,
    () => `{"query":${query},"operationName":${name()},"variables":${variables}}`,
    () => `{"query":${query},"extensions":${random.pick(JSON_VALUES)}}`,
    () => `{"query":${query},"extensions":{"persistedQuery":${random.pick(JSON_VALUES)}}}`,
    () => `{"extensions":{"persistedQuery":{"version":1,"sha256Hash":${random.pick(JSON_VALUES)}}}}`,
    () => `{"query":${random.pick(JSON_VALUES)}}`,
    () => `{"query":${query},"query":${query},"variables":${variables},"variables":{}}`,
    () => `[${plain},${plain}]`,
    () =>
      `{"query":${query},"variables":{"__proto__":{"v0":1},"constructor":1,"v0":${random.pick(JSON_VALUES)}}}`,
    () => `{"documentId":"a","id":${name()},"query":${query}}`,
  ])();
  if (random.percent(70)) return Buffer.from(odd);
  if (random.percent(50)) return mutateBytes(Buffer.from(plain), random);
  return Buffer.from(toText(mutate(toJson({ query: document, variables: {}, operationName: null }), random)));
}
