// Readiness is asked by anybody, as often as they like (src/services/health.ts).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { statementsOf } from '../support/graphql-statements.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await createGateway();
});
afterAll(() => gateway.close());

test('however many ask at once whether the process is ready, it is found out once, and the next one asks anew', async () => {
  const ask = async () => {
    const responses = await Promise.all(Array.from({ length: 50 }, () => gateway.send('/readyz')));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  };
  await ask();
  expect(await statementsOf(gateway, ask)).toHaveLength(3);
  await gateway.app.store.pool.query('alter table _prisma_migrations rename to hidden');
  const response = await gateway.send('/readyz');
  expect(response.status).toBe(503);
});
