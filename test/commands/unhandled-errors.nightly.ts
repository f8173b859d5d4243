// Unhandled errors do not end a serving process for everybody: after a rejected promise it continues, after an exception it answers the
// open requests and ends.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { cloneTemplate } from '../support/gateway.ts';
import { type Server, serve, start, stopServers, untilPrinted } from './cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'funnel-gateway-unhandled-'));
const database = await cloneTemplate();
afterAll(async () => {
  await stopServers();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

// SIGUSR2 rejects a promise that nobody handles, SIGWINCH throws where nobody catches.
const faults = join(folder, 'faults.mjs');
writeFileSync(
  faults,
  `process.on('SIGUSR2', () => Promise.reject(new Error('rejected by the test')));
process.on('SIGWINCH', () => { throw new Error('thrown by the test'); });`,
);
const env = {
  DATABASE_URL: database.url,
  JOBS: 'off',
  METRICS_PORT: '0',
  NODE_OPTIONS: `--import ${faults}`,
};

const statusOf = async ({ rest }: Server) => (await fetch(new URL('/healthz', rest))).status;

async function counted(metrics: string, kind: string): Promise<number> {
  const text = await (await fetch(metrics)).text();
  return Number(
    new RegExp(`^gateway_unhandled_errors_total\\{kind="${kind}"\\} (\\d+)$`, 'm').exec(text)?.[1],
  );
}

/** A request whose body has not been sent yet; and its status once it is. */
async function beginRequest({ graphql }: Server): Promise<() => Promise<number | undefined>> {
  const body = JSON.stringify({ query: '{ __typename }' });
  const sent = request(graphql, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Content-Length': body.length },
  });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
  answered.catch(() => {});
  sent.write(body.slice(0, 1));
  await vi.waitFor(() => expect(sent.socket?.bytesWritten).toBeGreaterThan(body.length));
  return () => {
    sent.end(body.slice(1));
    return answered;
  };
}

test('a rejected promise is logged and counted; an exception ends the process after its open requests', async () => {
  const server = await serve(env);
  const { metrics } = server as unknown as { metrics: string };
  server.child.kill('SIGUSR2');
  await vi.waitFor(async () => expect(await counted(metrics, 'rejection')).toBe(1), 60_000);
  await vi.waitFor(() => expect(server.output.stderr).toContain('rejected by the test'), 60_000);
  expect(await statusOf(server)).toBe(200);

  const answer = await beginRequest(server);
  // The process has started to read that request once it has answered a later one.
  expect(await statusOf(server)).toBe(200);
  server.child.kill('SIGWINCH');
  await vi.waitFor(() => expect(server.output.stderr).toContain('thrown by the test'), 60_000);
  expect(await answer()).toBe(200);
  const { code, stderr } = await server.result;
  expect(code).toBe(1);
  expect(stderr).toContain('An unexpected exception ended this process. See the log.');
});

test('a process that only delivers does the same', async () => {
  const running = start(['work', '--json'], env);
  await untilPrinted(running, '\n');
  running.child.kill('SIGUSR2');
  await vi.waitFor(() => expect(running.output.stderr).toContain('rejected by the test'), 60_000);
  running.child.kill('SIGWINCH');
  expect(await running.result).toMatchObject({ code: 1 });
});
