// The log: a line a request with its id, and never a credential (DESIGN §10).
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken } from '../src/auth/tokens.ts';
import * as factories from './support/factories.ts';
import { type Caller, createGateway, type Gateway } from './support/gateway.ts';

let gateway: Gateway;
let teamId: bigint;
let caller: Caller & { token: string };

beforeAll(async () => {
  gateway = await createGateway({ env: { LOG_LEVEL: 'info' } });
  teamId = (await factories.team(gateway.app)).id;
  caller = await factories.apiKey(gateway.app, { teamId });
});
afterAll(() => gateway.close());

test('every request is logged as one line with its id, method, path, status and the public id of the key', async () => {
  const { publicId } = await gateway.app.store.prisma.apiKey.findFirstOrThrow();
  await gateway.send('/api/v2/teams?per_page=5', { caller, headers: { 'X-Request-Id': 'log-1' } });
  await gateway.send('/nothing', { headers: { 'X-Request-Id': 'log-2' } });
  const [first, second] = ['log-1', 'log-2'].map((id) =>
    gateway.logLines.filter((line) => line.includes(id)),
  );
  expect(first?.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'info',
      requestId: 'log-1',
      method: 'GET',
      path: '/api/v2/teams',
      status: 200,
      apiKey: publicId,
    },
  ]);
  expect(second?.map((line) => JSON.parse(line))).toMatchObject([
    { requestId: 'log-2', path: '/nothing', status: 404 },
  ]);
});

test('a token is in no log line, wherever a client sends it', async () => {
  const header = fc.constantFrom(
    'Authorization',
    'Cookie',
    'X-Api-Key',
    'X-Request-Id',
    'Referer',
    'User-Agent',
    'X-Forwarded-Host',
    'Proxy-Authorization',
    'Accept',
  );
  const wrap = fc.constantFrom(
    'Bearer TOKEN',
    'TOKEN',
    'Basic TOKEN',
    'token=TOKEN; a=b',
    'Bearer  TOKEN,Bearer TOKEN',
  );
  const path = fc.constantFrom(
    '/api/v2/teams',
    '/nothing',
    '/api/v2/teams?per_page=0',
    '/api/v2/teams?access_token=TOKEN',
    '/api/v2/contacts/TOKEN',
  );
  const tokens = [caller.token, createToken().token, caller.token.slice(0, -1)];
  await fc.assert(
    fc.asyncProperty(header, wrap, path, fc.constantFrom(...tokens), async (name, form, where, token) => {
      await gateway.send(where.replace('TOKEN', token), {
        headers: { [name]: form.replaceAll('TOKEN', token) },
      });
    }),
    { numRuns: 200 },
  );
  const logged = gateway.logLines.join('');
  // The first characters alone are the hint that lists of keys show.
  for (const token of tokens) expect(logged).not.toContain(token.slice(0, 16));
});

test('the log of a failure has neither the connection string nor a token', async () => {
  const broken = await createGateway();
  const owner = await factories.apiKey(broken.app, { teamId: (await factories.team(broken.app)).id });
  await broken.app.store.pool.query('alter table teams rename to elsewhere');
  expect((await broken.send('/api/v2/teams', { caller: owner })).status).toBe(500);
  const logged = broken.logLines.join('');
  expect(logged).toContain('"level":"error"');
  expect(logged).not.toContain(owner.token);
  expect(logged).not.toContain(
    new URL(broken.app.store.pool.options.connectionString ?? '').password || 'postgresql://',
  );
  expect(logged).not.toContain('postgresql://');
  await broken.close();
});
