// The operations of the public API are served as the facts say: each path and method, the members of each body, those of each object, and
// the filters and sorts of each list. What is not served is in gaps.txt, so that nothing is forgotten (`vitest -u` writes it).
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { routes } from '../../src/rest/nouns.ts';
import { toOpenApi } from '../../src/rest/openapi/openapi.ts';
import { toTemplate } from '../../src/rest/route.ts';
import { operationsGuide } from '../docs/operations-guide.ts';
import { type Member, PUBLIC_TAGS, type PublicOperation, type PublicTag, SHAPES } from '../support/facts.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
}

interface Operation {
  readonly operationId: string;
  readonly 'x-origin'?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >;
}

const document = toOpenApi(routes, '2') as {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    parameters: Readonly<Record<string, Parameter>>;
  };
};

/** By method and path, regardless of the names of its parameters. */
const served = new Map(
  routes.map(({ method, path }) => [
    `${method} ${anonymous(toTemplate(path))}`,
    document.paths[toTemplate(path)]?.[method.toLowerCase()],
  ]),
);

function anonymous(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}');
}

function operationOf({ method, path }: PublicOperation): Operation | undefined {
  return served.get(`${method} ${anonymous(`/api/v2${path}`)}`);
}

/** The name of a parameter, its reference followed. */
function nameOf({ $ref, name }: Parameter): string | undefined {
  return $ref === undefined ? name : document.components.parameters[$ref.split('/').at(-1) ?? '']?.name;
}

/** The alternatives of a schema, references followed. */
function alternatives(schema: Schema | undefined): Schema[] {
  if (schema === undefined) return [];
  const { $ref, anyOf } = schema;
  if ($ref !== undefined) return alternatives(document.components.schemas[$ref.split('/').at(-1) ?? '']);
  return anyOf === undefined ? [schema] : anyOf.flatMap(alternatives);
}

/** The members that the facts name and a schema does not have, at any depth. */
function missingIn(schema: Schema | undefined, members: readonly Member[], path = ''): string[] {
  const all = alternatives(schema);
  return members.flatMap((member) => {
    const name = `${path}${member.name}`;
    const found = all.flatMap(({ properties = {} }) => properties[member.name] ?? []);
    const [first] = found;
    if (first === undefined) return [name];
    const below = member.members ?? SHAPES.get(member.type ?? '');
    if (below === undefined) return [];
    const inner = member.isList
      ? alternatives(first).flatMap(({ items }) => alternatives(items))
      : alternatives(first);
    // A map of any members, or a shape that shows itself again.
    if (inner.every(({ properties }) => properties === undefined)) return [name];
    return path.split('.').length > 4 ? [] : missingIn({ anyOf: inner }, below, `${name}.`);
  });
}

/** The parts of the facts that an operation lacks. */
function gapsOf(one: PublicOperation): string[] {
  const operation = operationOf(one);
  if (operation === undefined) return ['the operation'];
  const schema = operation.requestBody?.content['application/json']?.schema;
  const names = operation.parameters.map(nameOf);
  const parameters = one.query.flatMap(({ name, members = [] }) =>
    members.length === 0 ? [name] : members.map((member) => `${name}[${member.name}]`),
  );
  return [
    ...parameters.filter((name) => !names.includes(name)),
    ...missingIn(schema, one.body).map((member) => `body ${member}`),
  ];
}

/** The members that a tag's objects lack. */
function gapsInObjects({ operations, object }: PublicTag): string[] {
  const schemas = operations
    .filter(({ method, path }) => method === 'GET' && path.endsWith('}'))
    .map((one) => operationOf(one)?.responses['200']?.content?.['application/json']?.schema);
  return [...new Set(schemas.flatMap((schema) => (object === null ? [] : missingIn(schema, object))))];
}

/** The members of a shape that stands inside an object: its own, or those of the tag of this name. */
function membersOf({ members, type = '' }: Member): readonly Member[] | undefined {
  return members ?? SHAPES.get(type) ?? PUBLIC_TAGS.find(({ tag }) => tag === type)?.object ?? undefined;
}

/** The members that a schema has inside of others and that the facts do not name: strict clients fail on them. */
function surplusIn(schema: Schema | undefined, members: readonly Member[], path: string): string[] {
  return alternatives(schema).flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, one]) => {
      const member = members.find((other) => other.name === name);
      const isInside = path.includes('.');
      if (member === undefined) return isInside ? [`${path}${name}`] : [];
      const inner = alternatives(one).flatMap((of) => [of, ...alternatives(of.items)]);
      const below = membersOf(member);
      const isDeep = path.split('.').length > 6;
      return below === undefined || isDeep ? [] : surplusIn({ anyOf: inner }, below, `${path}${name}.`);
    }),
  );
}

/** The members inside of the objects that a tag's operations answer. */
function surplusOf({ operations, object }: PublicTag): string[] {
  const schemas = operations.flatMap((one) =>
    ['200', '201'].map(
      (status) => operationOf(one)?.responses[status]?.content?.['application/json']?.schema,
    ),
  );
  const objects = schemas.flatMap((schema) =>
    alternatives(schema).flatMap((of) => [of, ...alternatives(of.items)]),
  );
  return object === null ? [] : surplusIn({ anyOf: objects }, object, '');
}

/** Whether one of its operations is served. */
function isServed({ operations }: PublicTag): boolean {
  return operations.some((one) => operationOf(one) !== undefined);
}

test('docs/operations.md lists them all: `npm run codegen` writes it', () => {
  const guide = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  expect(guide).toBe(operationsGuide(schema));
  const listed = PUBLIC_TAGS.flatMap(({ operations }) => operations).filter(
    (one) => operationOf(one) !== undefined,
  );
  const rows = guide.split('\n').filter((line) => line.endsWith('| public |'));
  const methods = rows.map((row) => row.split('`')[0]?.match(/[A-Z]{3,}/g) ?? []);
  expect(methods.flat().length).toBeGreaterThanOrEqual(listed.length);
});

test('the README says how many operations are served', () => {
  const all = PUBLIC_TAGS.flatMap(({ operations }) => operations);
  const count = all.filter((one) => operationOf(one) !== undefined).length;
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  expect(readme).toContain(`${count} of the public API's ${all.length} operations`);
});

test('missing operations are listed: a new or closed gap changes the list', async () => {
  const gaps = PUBLIC_TAGS.flatMap((tag) => {
    if (!isServed(tag)) return [`${tag.tag}: not served`];
    const { operations } = tag;
    return [
      ...operations.flatMap((one) =>
        gapsOf(one).map((gap) => `${tag.tag}: ${one.method} ${one.path}: ${gap}`),
      ),
      ...gapsInObjects(tag).map((member) => `${tag.tag}: object ${member}`),
    ];
  });
  await expect(`${gaps.join('\n')}\n`).toMatchFileSnapshot('gaps.txt');
});

/** Nested members beyond the facts. */
const SURPLUS: Readonly<Record<string, readonly string[]>> = {
  // Mentioned by the first-party guide to pages.
  Page: ['bump', 'bump_preheadline'].map((name) => `show_page_step.products.${name}`),
  // The facts say of the value that it is any JSON.
  RefineFilter: ['days', 'modifier'].map((name) => `criteria.value.${name}`),
  'Funnels::ConditionalSplitStep': ['days', 'modifier'].map(
    (name) => `condition.filter.criteria.value.${name}`,
  ),
};

test.each(PUBLIC_TAGS.filter(isServed))('nested objects of $tag have only the documented members', (tag) => {
  expect([...new Set(surplusOf(tag))].toSorted()).toEqual([...(SURPLUS[tag.tag] ?? [])].toSorted());
});

/** What the facts do not list, but other descriptions of the public API do. */
const KNOWN_ELSEWHERE = [
  ...['getFunnelStructure', 'listWebhookEventTypes', 'deletePage', 'cancelOrder', 'abandonInvoice'],
  ...['refundTransaction', 'listPrices', 'createPriceOfProduct', 'removeConditionalSplitStepWithoutPrefix'],
  ...['listSites', 'getSite', 'updateSite', 'updateSiteByPatch', 'getStyle'],
  ...['createExternalPage', 'createCustomHtmlPage'],
];

test('OpenAPI marks each operation that the public API does not have, and no other', () => {
  const facts = new Set(
    PUBLIC_TAGS.flatMap(({ operations }) => operations).map(
      ({ method, path }) => `${method} ${anonymous(`/api/v2${path}`)}`,
    ),
  );
  // PUT and PATCH do the same here.
  const methodsLike = (method: string) => (/^P(?:UT|ATCH)$/.test(method) ? ['PUT', 'PATCH'] : [method]);
  const isPublic = ({ method, path }: (typeof routes)[number]) =>
    methodsLike(method).some((one) => facts.has(`${one} ${anonymous(toTemplate(path))}`));
  const beyond = routes
    .filter((one) => !isPublic(one) && !KNOWN_ELSEWHERE.includes(one.operationId))
    .map(({ operationId }) => operationId);
  const marked = Object.values(document.paths)
    .flatMap((of) => Object.values(of))
    .filter((one) => one['x-origin'] === 'gateway')
    .map(({ operationId }) => operationId);
  expect(marked).toContain('listAuditEntries');
  expect(marked.toSorted()).toEqual(beyond.toSorted());
});
