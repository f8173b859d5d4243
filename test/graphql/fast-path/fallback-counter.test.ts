// Fallbacks of the fast path are counted and logged by reason, so that a bug is noticed.
import { expect, test } from 'vitest';
import { createFallbackCounter } from '../../../src/graphql/fast-path/fallback-counter.ts';
import { createFastPath } from '../../../src/graphql/fast-path/fast-path.ts';
import { createGraphqlHandler } from '../../../src/graphql/handler.ts';
import { createAnswerSlots } from '../../../src/graphql/limits/large-answers.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { Exchange } from '../../../src/http/exchange.ts';
import { createLogger } from '../../../src/output/log.ts';
import * as factories from '../../support/factories.ts';
import { sharedGateway } from '../../support/gateway.ts';
import { intercept } from '../../support/graphql-statements.ts';

const gateway = await sharedGateway();
const team = await factories.team(gateway.app);
const caller = await factories.apiKey(gateway.app, { teamId: team.id });
const id = String((await factories.workspace(gateway.app, { teamId: team.id })).id);

/** A handler whose fallbacks and log lines can be read. */
function createObserved() {
  const lines: Record<string, unknown>[] = [];
  let now = new Date('2030-01-01');
  const log = createLogger('info', { write: (line) => lines.push(JSON.parse(line)) });
  const fallbacks = createFallbackCounter(log, () => now);
  const { limits } = gateway.app.config;
  const handler = createGraphqlHandler(
    gateway.app,
    createFastPath({ schema, limits, slots: createAnswerSlots(), fallbacks }),
  );
  return {
    lines,
    fallbacks,
    wait: (ms: number) => {
      now = new Date(now.getTime() + ms);
    },
    async ask(variables: object) {
      const request = new Request('http://localhost:4000/graphql', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: caller.authorization ?? '' },
        body: JSON.stringify({ query: QUERY, variables, operationName: 'Q' }),
      });
      const exchange = new Exchange(gateway.app, request, undefined);
      const answer = await handler(request, await exchange.context());
      const response = answer instanceof Response ? answer : exchange.respond(answer);
      return (await response.json()) as {
        data?: unknown;
        errors?: readonly { extensions: { code: string } }[];
      };
    },
  };
}

const QUERY =
  'query Q($id: BigInt!, $ids: [ID!] = []) { workspace(by: { databaseId: $id }) { name } nodes(ids: $ids) { id } }';

test('an internal error is counted, and logged with its stack, at most once a minute', async () => {
  const { ask, fallbacks, lines, wait } = createObserved();
  expect((await ask({ id })).errors).toBeUndefined();
  const stop = intercept(gateway, (name, send) =>
    name.startsWith('workspaces.') ? Promise.reject(new TypeError('a bug')) : send(),
  );
  try {
    for (let i = 0; i < 5; i++) expect((await ask({ id })).errors?.[0]?.extensions.code).toBe('INTERNAL');
    expect(fallbacks.counts.failed).toBe(5);
    expect(lines).toMatchObject([
      { level: 'warn', reason: 'failed', operationName: 'Q', count: 1, err: { message: 'a bug' } },
    ]);
    wait(60_000);
    await ask({ id });
    expect(lines).toMatchObject([{ count: 1 }, { count: 6 }]);
  } finally {
    stop();
  }
});

test('refusals are not counted, and invalid variables are counted as such', async () => {
  const { ask, fallbacks, lines } = createObserved();
  await ask({ id });
  expect(await ask({ id: '999999' })).toMatchObject({ data: { workspace: null } });
  await ask({ id: 'x' });
  expect(fallbacks.counts).toMatchObject({ variables: 1, failed: 0, unsupported: 0, unavailable: 0 });
  expect(lines.map(({ level, reason }) => [level, reason])).toEqual([['info', 'variables']]);
});

test('coercion stops at the first invalid variable', async () => {
  const { ask, fallbacks } = createObserved();
  await ask({ id });
  // Many errors would take long: Yoga stops at 50.
  const { errors } = await ask({ id, ids: Array.from({ length: 9_000 }, () => null) });
  expect(errors?.length).toBeLessThanOrEqual(51);
  expect(fallbacks.counts.variables).toBe(1);
});

test('an operation that Yoga answers for good is still counted, with its last reason', async () => {
  const { ask, fallbacks } = createObserved();
  await ask({ id });
  const stop = intercept(gateway, (name, send) =>
    name.startsWith('workspaces.') ? Promise.reject(new TypeError('a bug')) : send(),
  );
  try {
    for (let i = 0; i < 103; i++) await ask({ id });
    expect(fallbacks.counts).toMatchObject({ failed: 103, variables: 0 });
  } finally {
    stop();
  }
});
