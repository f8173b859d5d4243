// The size of answers is limited, by the fast path and by Yoga, and so is the number of large ones at a time.
import { describe, expect, test } from 'vitest';
import * as factories from '../../support/factories.ts';
import { type Caller, ownGateway } from '../../support/gateway.ts';
import { post } from '../../support/graphql.ts';
import { prismaOf } from '../../support/prisma.ts';

const NOTE = 'x'.repeat(20_000);

const gateway = await ownGateway({ env: { MAX_ANSWER_BYTES: '1500000' } });
const { app } = gateway;
const team = await factories.team(app);
const workspace = await factories.workspace(app, { teamId: team.id });
const id = String(workspace.id);
const caller = await factories.apiKey(app, { teamId: team.id });
for (let i = 0; i < 100; i++)
  await factories.contact(app, { workspaceId: workspace.id, customAttributes: { note: NOTE } });

const PAGE =
  'query ($id: BigInt!, $n: Int) { workspace(by: { databaseId: $id }) { contacts(first: $n) { nodes { customAttributes { value } } } } }';
const SKIPPED = PAGE.replace('nodes {', 'nodes @include(if: true) {');

function ask(query: string, variables: object, by: Caller = caller) {
  return post(gateway, { query, variables: { id, ...variables } }, { caller: by });
}

/** An answer with the size of this many contacts. */
async function expectWhole(query: string, n: number): Promise<void> {
  const { response, data, errors } = await ask(query, { n });
  expect([response.status, errors]).toEqual([200, undefined]);
  expect(JSON.stringify(data).length).toBeGreaterThan(n * NOTE.length);
}

describe.each([
  ['compiled', PAGE],
  ['not compiled', SKIPPED],
])('an answer that is %s', (_name, query) => {
  test('is refused if it is larger than allowed, and nothing of it is sent', async () => {
    await expectWhole(query, 1);
    for (let i = 0; i < 3; i++) {
      const { response, data, errors } = await ask(query, { n: 100 });
      expect([response.status, data]).toEqual([400, undefined]);
      expect(errors).toEqual([
        {
          message:
            'The answer is larger than 1500000 bytes, which is the most that is allowed. Ask for smaller pages or fewer fields.',
          extensions: expect.objectContaining({ code: 'QUERY_TOO_LARGE', limit: expect.any(Number) }),
        },
      ]);
    }
  });

  test('is complete up to the limit, also right after a refusal', async () => {
    await expectWhole(query, 60);
    await ask(query, { n: 100 });
    await expectWhole(query, 60);
    await expectWhole(query, 1);
  });
});

test('a mutation that was made is answered completely, however large the answer', async () => {
  const workspaceId = BigInt(id);
  const funnel = await factories.funnel(gateway.app, { workspaceId });
  const steps = await factories.workflow(gateway.app, funnel, [{ split: 'Split', matched: ['Page'] }]);
  const mutation = `mutation ($input: RemoveConditionalSplitInput!) { removeConditionalSplit(input: $input) {
    funnel { workspace { contacts(first: 100) { nodes { customAttributes { value } } } } } } }`;
  const input = {
    conditionalSplitId: btoa(`ConditionalSplit:${steps.get('Split')?.id}`),
  };
  const { response, data, errors } = await post(
    gateway,
    { query: mutation, variables: { input } },
    { caller },
  );
  expect([response.status, errors]).toEqual([200, undefined]);
  expect(JSON.stringify(data).length).toBeGreaterThan(100 * NOTE.length);
});

test('an answer with very many errors is replaced by one error', async () => {
  const narrow = await factories.apiKey(gateway.app, {
    teamId: (await prismaOf(gateway.app.store).team.findFirstOrThrow()).id,
    scopes: ['account:read', 'contacts:read'],
  });
  const query = `query ($id: BigInt!) { workspace(by: { databaseId: $id }) { contacts(first: 100) { nodes { workspace { ${Array.from({ length: 11 }, (_, i) => `a${i}: funnels { totalCount }`).join(' ')} } } } } }`;
  const { response, data, errors } = await ask(query, {}, narrow);
  expect([response.status, data]).toEqual([400, undefined]);
  expect(errors).toMatchObject([{ extensions: { code: 'INVALID' } }]);
});

describe('large answers', () => {
  /** Sends the operation without reading the answer. */
  function send(by: Caller): Promise<Response> {
    return gateway.send('/graphql', {
      method: 'POST',
      caller: by,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: PAGE, variables: { id, n: 60 } }),
    });
  }

  test('of one team are limited to two at a time until they have been read; other teams do not wait', async () => {
    await expectWhole(PAGE, 60);
    const arrived: Response[] = [];
    const sent = Array.from({ length: 5 }, async () => arrived.push(await send(caller)));
    await expect.poll(() => arrived.length).toBe(2);

    // Small answers of the same team, and all of another team, are sent meanwhile.
    await expectWhole(PAGE, 1);
    const other = await factories.team(gateway.app);
    const theirs = await factories.apiKey(gateway.app, { teamId: other.id });
    expect((await post(gateway, { query: '{ viewer { kind } }' }, { caller: theirs })).response.status).toBe(
      200,
    );
    expect(arrived.length).toBe(2);

    expect((await arrived[0]?.text())?.length).toBeGreaterThan(60 * NOTE.length);
    await expect.poll(() => arrived.length).toBe(3);
    await arrived[1]?.body?.cancel();
    await expect.poll(() => arrived.length).toBe(4);
    for (const response of arrived.slice(2)) await response.text();
    await Promise.all(sent);
    await arrived[4]?.text();
  });
});
