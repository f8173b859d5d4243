// Anybody may check readiness, as often as they like (src/services/health.ts).
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createServer } from '../../src/http/server.ts';
import { ownGateway } from '../support/gateway.ts';
import { statementsOf } from '../support/graphql-statements.ts';

const gateway = await ownGateway();

const ask = () => gateway.send('/readyz');
/** A result is reused for a little less. Time itself is tested: that it has passed is seen only by asking, which begins it anew. */
const REMEMBERED_MS = 300;
const askOften = async () => {
  const responses = await Promise.all(Array.from({ length: 50 }, ask));
  return [...new Set(responses.map(({ status }) => status))];
};

test('concurrent readiness checks share one probe', async () => {
  const statements = await statementsOf(gateway, async () => {
    expect(await askOften()).toEqual([200]);
  });
  await sleep(REMEMBERED_MS);
  expect(statements).toEqual(await statementsOf(gateway, ask));
  expect(statements).not.toEqual([]);
});

test('the result is reused for a moment, and then determined anew', async () => {
  await sleep(REMEMBERED_MS);
  expect((await ask()).status).toBe(200);
  expect(
    await statementsOf(gateway, async () => {
      for (let times = 0; times < 5; times++) expect((await ask()).status).toBe(200);
    }),
  ).toEqual([]);
  await gateway.app.store.pool.query('alter table _prisma_migrations rename to hidden');
  await sleep(REMEMBERED_MS);
  expect(await askOften()).toEqual([503]);
  await gateway.app.store.pool.query('alter table hidden rename to _prisma_migrations');
  await sleep(REMEMBERED_MS);
  expect(await askOften()).toEqual([200]);
});

test('a stopping process is not ready, whatever earlier or concurrent probes found', async () => {
  const lifetime = { isBegun: false };
  const server = createServer(gateway.app, null, lifetime);
  const statusOf = async () => (await server.fetch(new Request('http://localhost/readyz'))).status;
  expect(await statusOf()).toBe(200);
  lifetime.isBegun = true;
  expect(await statusOf()).toBe(503);
  lifetime.isBegun = false;
  await sleep(REMEMBERED_MS);
  const asked = statusOf();
  lifetime.isBegun = true;
  expect(await asked).toBe(503);
});
