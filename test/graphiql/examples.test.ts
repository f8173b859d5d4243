// The explorer's example queries, over the real handler, against the demo data that a first start puts in.
import { parse } from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { examples } from '../../src/graphiql/app/examples.ts';
import { seedDemoKey } from '../support/demo.ts';
import { type Caller, createGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { prismaOf } from '../support/prisma.ts';

const gateway = await createGateway();
const caller = { authorization: `Bearer ${await seedDemoKey(gateway.app)}` };

afterAll(() => gateway?.close());

/** Lists that came back empty, by their path: an example must show something. */
function emptyLists(value: unknown, path = 'data'): string[] {
  if (Array.isArray(value) && value.length === 0) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, held]) => emptyLists(held, `${path}.${name}`));
}

/** Lists that may be empty: contacts without tags, funnels without splits, branches without pages, days without sales. */
const MAY_BE_EMPTY = /\.(tags|steps|sales|userErrors|eventTypeIds|conditionalSplits\.nodes|discardedPages)$/;

describe.each(examples.map((example) => [example.title, example] as const))('"%s"', (_, example) => {
  test('is one named operation with variables in JSON', () => {
    const { definitions } = parse(example.query);
    expect(definitions).toHaveLength(1);
    expect(definitions[0]).toMatchObject({ kind: 'OperationDefinition', name: { kind: 'Name' } });
    expect(() => JSON.parse(example.variables || '{}')).not.toThrow();
  });

  test('runs without an error and shows something', async () => {
    const variables: unknown = JSON.parse(example.variables || '{}');
    const { response, data, errors } = await post(gateway, { query: example.query, variables }, { caller });
    expect(errors).toBeUndefined();
    expect(response.status).toBe(200);
    expect(emptyLists(data).filter((path) => !MAY_BE_EMPTY.test(path))).toEqual([]);
    expect(JSON.stringify(data)).not.toMatch(/^\{"[a-z]+":null/i);
  });
});

test('the example creates one contact, however often it runs', async () => {
  const creation = examples.find(({ query }) => query.includes('createContact'));
  if (creation === undefined) throw new Error('The examples have changed');
  const { query, variables } = creation;
  const count = () => prismaOf(gateway.app.store).contact.count();
  const run = () => post(gateway, { query, variables: JSON.parse(variables) as unknown }, { caller });
  const { data } = await run();
  const before = await count();
  expect(data).toMatchObject({ createContact: { contact: { emailAddress: 'robin@example.com' } } });
  expect((await run()).data).toEqual(data);
  expect(await count()).toBe(before);
});

test('the ids of the removal are those that the example before it shows, and the removal works once', async () => {
  const removal = examples.find(({ query }) => query.includes('removeConditionalSplit'));
  const ids = examples.find(({ query }) => query.includes('conditionalSplits'));
  if (removal === undefined || ids === undefined) throw new Error('The examples have changed');
  const fresh = await createGateway();
  const key: Caller = { authorization: `Bearer ${await seedDemoKey(fresh.app)}` };
  const run = async ({ query, variables }: typeof removal) =>
    post(fresh, { query, variables: JSON.parse(variables) as unknown }, { caller: key });
  const { input } = JSON.parse(removal.variables) as { input: { conditionalSplitId: string } };

  const before = JSON.stringify((await run(ids)).data);
  expect(before).toContain(input.conditionalSplitId);
  const { data, errors } = await run(removal);
  expect(errors).toBeUndefined();
  expect(data).toMatchObject({
    removeConditionalSplit: { removedConditionalSplitId: input.conditionalSplitId },
  });
  expect(JSON.stringify((await run(ids)).data)).not.toContain(input.conditionalSplitId);
  expect((await run(removal)).data).toMatchObject({
    removeConditionalSplit: {
      removedConditionalSplitId: null,
      userErrors: [{ message: 'There is no such conditional split.' }],
    },
  });
  await fresh.close();
});
