// A process without free file handles for a while: modules that fail to load at their first use are loaded by the next one.
import { execFile } from 'node:child_process';
import { Agent, request } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, expect, test, vi } from 'vitest';
import { cloneTemplate } from '../support/gateway.ts';
import { serve, stopServers } from './cli.ts';

/** Its only connection is opened before. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

const database = await cloneTemplate();
const server = await serve({ DATABASE_URL: database.url, JOBS: 'off' });
afterAll(async () => {
  agent.destroy();
  await stopServers();
  await database.drop();
});

function ask(path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  const sent = request(new URL(path, server.rest), { agent, headers }, (answer) => {
    answer.resume().on('end', () => resolve(answer.statusCode));
  });
  sent.on('error', reject).end();
  return promise;
}

test('an access token', async () => {
  const path = '/api/v2/teams';
  const headers = { Authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.AAAA' };
  const limit = (files: number) =>
    promisify(execFile)('prlimit', ['--pid', String(server.pid), `--nofile=${files}:`]);
  // What is loaded after the start is there: broken-loading.nightly.ts.
  expect(await ask('/readyz')).toBe(200);
  await limit(3);
  const without = await ask(path, headers).finally(() => limit(1_000));
  expect(without).toBeGreaterThanOrEqual(500);
  await vi.waitFor(async () => expect(await ask(path, headers)).toBe(401), { timeout: 60_000 });
});
