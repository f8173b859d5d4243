// One object of each type by each of its keys, and what clients with a cache of objects need: ids of all that is shown, and the edges of
// what they have created.
import { type GraphQLObjectType, type GraphQLOutputType, getNamedType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { SCOPES } from '../../src/auth/scopes.ts';
import { schema } from '../../src/graphql/schema.ts';
import type { Fields } from '../../src/resources/description/fields.ts';
import { graphqlTypeNameOf } from '../../src/resources/description/names.ts';
import type { Filter, Resource } from '../../src/resources/description/resource.ts';
import { NOUNS } from '../../src/resources/nouns.ts';
import * as factories from '../support/factories.ts';
import { createComparison } from '../support/fast-path.ts';
import { type Caller, sharedGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { sampleMutations } from '../support/mutations.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant } from '../support/operations.ts';
import { prismaOf } from '../support/prisma.ts';
import { LOOK_UPS, NODE_TYPES } from '../support/schema-operations.ts';
import { idsOf, mutationIn } from '../support/tenant-mutations.ts';

const gateway = await sharedGateway();
const ours = await createTenant(gateway.app, 'ours');
const ids = await idsOf(gateway.app, ours);
const theirs = await idsOf(gateway.app, await createTenant(gateway.app, 'theirs'));
const caller = await factories.apiKey(gateway.app, { teamId: ours.team.id });

const toFieldName = (type: string) => `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
const send = (query: string, asking: Caller = caller) => post(gateway, { query }, { caller: asking });
const codesOf = ({ errors }: Awaited<ReturnType<typeof send>>) =>
  errors?.map(({ extensions }) => [extensions.code, extensions.field]);
const databaseIdOf = (globalId: string) => atob(globalId).split(':').at(-1) ?? '';

/** The types whose objects are parts of others: `node` finds them. */
const PARTS = [
  'PageStep',
  'SplitTest',
  ...(NOUNS as readonly Resource[]).filter(({ hasLookUp }) => hasLookUp === false).map(graphqlTypeNameOf),
];

test('every node type has a root field, except parts of other objects', () => {
  const types = NODE_TYPES.map(({ name }) => name).filter((name) => !PARTS.includes(name));
  expect([...LOOK_UPS].sort()).toEqual(types.map((name) => [toFieldName(name), name]).sort());
});

test('look-ups share the type of their key', () => {
  const keys = Object.values(schema.getQueryType()?.getFields() ?? {})
    .filter(({ name }) => LOOK_UPS.has(name))
    .map(({ args }) => String(args[0]?.type));
  expect(new Set(keys)).toEqual(new Set(['ObjectKey!', 'WorkspaceKey!']));
});

/** Where the two ways of answering are compared. */
const COMPARED = sampleAt('compared', [...LOOK_UPS.keys()], 3);

describe.each([...LOOK_UPS])('%s', (field, type) => {
  const own = () => ids[type] ?? expect.fail(type);
  const other = () => theirs[type] ?? expect.fail(type);

  test('finds an object by its global id, its integer id and its public id', async () => {
    const one = '{ id databaseId publicId }';
    const { data } = await send(`{ ${field}(by: { id: "${own()}" }) ${one} }`);
    const found = data?.[field] as { databaseId: number; publicId: string };
    expect(found).toEqual({
      id: own(),
      databaseId: Number(databaseIdOf(own())),
      publicId: expect.stringMatching(/^[A-Za-z]{6,}$/),
    });
    const { databaseId, publicId } = found;
    const again = await send(
      `{ a: ${field}(by: { databaseId: ${databaseId} }) ${one} b: ${field}(by: { publicId: "${publicId}" }) ${one} }`,
    );
    expect(again.data).toEqual({ a: found, b: found });
  });

  test('is null without an error for an unknown object or another team’s, and INVALID for what is no id of the type', async () => {
    const keys = [
      `id: "${other()}"`,
      `databaseId: ${databaseIdOf(other())}`,
      'databaseId: -1',
      `publicId: "${databaseIdOf(own())}"`,
      'publicId: ""',
      'publicId: "nonsense"',
    ];
    for (const key of sampleAt(field, keys, 3)) {
      const answer = await send(`{ ${field}(by: { ${key} }) { id } }`);
      expect([key, answer.data, answer.errors]).toEqual([key, { [field]: null }, undefined]);
    }
    for (const id of sampleAt(field, [btoa('Nope:1'), databaseIdOf(own())], 2)) {
      const refused = await send(`{ ${field}(by: { id: "${id}" }) { id } }`);
      expect([id, codesOf(refused)]).toEqual([id, [['INVALID', 'by.id']]]);
    }
  });

  test('needs the scope of the object itself', async () => {
    const found = NOUNS.find((noun) => graphqlTypeNameOf(noun) === type);
    const needed = `${found?.scope ?? 'funnels'}:read`;
    const scopes = SCOPES.filter((scope) => scope.includes(':') && scope !== needed);
    const key = await factories.apiKey(gateway.app, { teamId: ours.team.id, scopes });
    const answers = [
      await send(`{ ${field}(by: { id: "${own()}" }) { id } }`, key),
      await send(`{ node(id: "${own()}") { id } }`, key),
    ];
    // Every caller may read its own identity, and the ids of the teams and workspaces that it may enter.
    const isOpen = type === 'User' || found?.openFields?.includes('id') === true;
    const code = isOpen ? undefined : [['INSUFFICIENT_SCOPE', undefined]];
    expect(answers.map(codesOf)).toEqual([code, code]);
  });

  test.runIf(COMPARED.includes(field))(
    'is answered by the fast path, with as many statements as a node',
    async () => {
      const compare = createComparison(gateway);
      const selection = '{ id publicId }';
      const byNode = `{ node(id: "${own()}") { ... on ${type} ${selection} } }`;
      const [one, variable, node] = [
        await compare({
          body: { query: `{ ${field}(by: { databaseId: ${databaseIdOf(own())} }) ${selection} }` },
          caller,
        }),
        await compare({
          body: {
            query: `query ($id: BigInt!) { ${field}(by: { databaseId: $id }) ${selection} }`,
            variables: { id: databaseIdOf(own()) },
          },
          caller,
        }),
        await compare({ body: { query: byNode }, caller }),
      ];
      for (const answer of [one, variable]) {
        expect([answer.secondByFastPath, answer.second]).toEqual([true, answer.byYoga]);
        expect(answer.statements).toEqual(node.statements);
      }
    },
  );
});

test('the subject of an event is found by the integer id in webhooks', async () => {
  const { contact } = ours;
  const path = `/api/v2/contacts/${contact.id}`;
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ email_address: 'subject@example.com' });
  expect((await gateway.send(path, { caller, method: 'PATCH', headers, body })).status).toBe(200);
  const { subjectId } = await prismaOf(gateway.app.store).event.findFirstOrThrow({
    where: { workspaceId: ours.workspace.id, eventType: 'contact.updated' },
    orderBy: { id: 'desc' },
  });
  const { data } = await send(`{ contact(by: { databaseId: ${subjectId} }) { id } }`);
  expect(data).toEqual({ contact: { id: btoa(`Contact:${contact.id}`) } });
});

describe('tags on objects', () => {
  test('are the tags of the workspace: their ids find them', async () => {
    const { contact } = ours;
    const { data } = await send(
      `{ contact(by: { databaseId: ${contact.id} }) { tags { nodes { __typename id name } } } }`,
    );
    const { tags } = (data?.['contact'] ?? expect.fail()) as { tags: { nodes: { id: string }[] } };
    expect(tags.nodes.length).toBeGreaterThanOrEqual(1);
    for (const tag of tags.nodes)
      expect((await send(`{ node(id: "${tag.id}") { ... on Tag { __typename id name } } }`)).data).toEqual({
        node: tag,
      });
  });

  test('cost no more than the object that has them', async () => {
    const costOf = async (selection: string) => {
      const query = `{ workspace(by: { databaseId: ${ours.workspace.id} }) { contacts(first: 100) { nodes { ${selection} } } } }`;
      const headers = { 'GraphQL-Cost': '1' };
      const answer = await post(gateway, { query }, { caller, headers });
      return (answer as unknown as { extensions: { cost: { rows: number } } }).extensions.cost.rows;
    };
    expect(await costOf('id tags { nodes { id name } }')).toBe(await costOf('id'));
  });
});

/** The mutations that create: the selection for a new object, and the type of its edges. */
const CREATIONS = Object.values((schema.getMutationType() as GraphQLObjectType).getFields()).flatMap(
  ({ name, type }) => {
    const fields = (getNamedType(type) as GraphQLObjectType).getFields();
    return Object.values(fields)
      .filter((field) => field.name.endsWith('Edge'))
      .map((field) => [name, field.name, getNamedType(field.type).name.replace(/Edge$/, '')] as const);
  },
);

test('every mutation that creates an object of a list returns its edge', () => {
  const names = Object.keys((schema.getMutationType() as GraphQLObjectType).getFields());
  // Split tests are in a funnel's tree, and in no list.
  const inTree = ['createSplitTest'];
  const creating = names.filter(
    (name) => /^(create|upsert|refund|test)/.test(name) && !inTree.includes(name),
  );
  expect(CREATIONS.map(([name]) => name).sort()).toEqual(creating.sort());
});

/** Where lists of a type are: the type that has them, below which the input creates one, and its field. */
function listOf(type: string, input: object): readonly [parent: string, field: string] {
  const isList = (of: GraphQLOutputType) => getNamedType(of).name === `${type}Connection`;
  for (const parent of NODE_TYPES.filter(({ name }) => `${toFieldName(name)}Id` in input))
    for (const field of Object.values(parent.getFields()))
      if (isList(field.type)) return [parent.name, field.name];
  return expect.fail(`no list of ${type}`);
}

/** The texts that are unique among the objects of a noun. */
function uniqueTextsOf(type: string): string[] {
  const { fields, filters } = NOUNS.find((noun) => graphqlTypeNameOf(noun) === type) ?? expect.fail(type);
  const unique = Object.entries<Filter>(filters ?? {}).filter(([, filter]) => filter.unique);
  return unique.flatMap(([property]) =>
    (fields as Fields)[property]?.type === 'text' && property !== 'publicId' ? [property] : [],
  );
}

/**
 * Of these the input of the test makes one alone: there is one for each pair of two others, and the first refund is the last, as nothing is
 * left of the payment (test/rest/orders/order-refunds-and-fulfillments.test.ts has its edge).
 */
const ONES = ['createCourseEnrollment', 'createCourseLessonCompletion', 'refundOrderTransaction'];

test.each(
  sampleMutations(
    'edges',
    CREATIONS.filter(([name]) => !ONES.includes(name)),
    ([name]) => name,
    2,
  ),
)(
  '%s: a list continues correctly after the cursor of %s, also for a caller without read access',
  async (name, edge, type) => {
    const tenant = await createTenant(gateway.app, 'edges');
    const { teamId } = tenant.workspace;
    // An endpoint gets events of contacts.
    const scopes = ['write', ...(type === 'WebhookEndpoint' ? ['contacts:read'] : [])];
    const writer = await factories.apiKey(gateway.app, { teamId, scopes });
    const reader = await factories.apiKey(gateway.app, { teamId });
    const { input } = mutationIn(tenant, await idsOf(gateway.app, tenant), name);
    const node = edge.replace(/Edge$/, '');
    const made: { cursor: string; node: { id: string } }[] = [];
    for (const round of [0, 1, 2]) {
      const own = {
        ...Object.fromEntries(uniqueTextsOf(type).map((property) => [property, `U${round}`])),
        name: `N${round}`,
        emailAddress: `${round}@example.com`,
      };
      const given = { ...input, ...Object.fromEntries(Object.entries(own).filter(([key]) => key in input)) };
      const query = `mutation ($input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!) {
        ${name}(input: $input) { ${node} { id } ${edge} { cursor node { id } } } }`;
      const { data, errors } = await post(
        gateway,
        { query, variables: { input: given } },
        { caller: writer },
      );
      expect(errors).toBeUndefined();
      const payload = data?.[name] as Record<string, { id: string } & (typeof made)[number]>;
      expect(payload[edge]?.node).toEqual(payload[node]);
      made.push(payload[edge] ?? expect.fail());
    }
    const [parent, list] = listOf(type, input);
    const parentId = (input as Record<string, string>)[`${toFieldName(parent)}Id`];
    const query = `query ($id: ID!, $after: String) { node(id: $id) { ... on ${parent} {
      ${list}(after: $after) { edges { cursor node { id } } } } } }`;
    for (const [index, { cursor }] of made.entries()) {
      const variables = { id: parentId, after: cursor };
      const { data } = await post(gateway, { query, variables }, { caller: reader });
      expect(data).toEqual({ node: { [list]: { edges: made.slice(index + 1) } } });
    }
  },
);
