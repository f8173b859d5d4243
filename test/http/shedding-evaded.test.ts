// Ways around the limit on requests in progress: withheld bodies, the many addresses of one IPv6 network, and health checks that try to
// block those of the load balancer.
import { Agent, request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { type Listener, listen } from '../../src/http/listener.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { intercept } from '../support/graphql-statements.ts';

let gateway: Gateway;
let listener: Listener;
let token: string;
let heldPath: string;
const sockets: Socket[] = [];
/** The answers to requests that were sent without waiting. */
const received: string[] = [];
let letGo = () => {};

beforeAll(async () => {
  gateway = await createGateway({ env: { PORT: '0', MAX_UNDER_WAY: '3', TRUST_PROXY: '127.0.0.9' } });
  listener = await listen(gateway.app);
  const workspace = await factories.workspace(gateway.app);
  token = (await factories.apiKey(gateway.app, { teamId: workspace.teamId })).token;
  heldPath = `/api/v2/workspaces/${workspace.id}/contacts`;
});
afterEach(async () => {
  letGo();
  for (const socket of sockets.splice(0)) socket.destroy();
  await vi.waitFor(async () => expect(await ask('/nothing')).toBe(404), 60_000);
});
afterAll(async () => {
  await listener.close();
  await gateway.close();
});

/** Delays the answers of lists of contacts until `letGo`. @returns how many have started */
function hold(): () => number {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const stop = intercept(gateway, async (name, send) => {
    if (name.startsWith('contacts.under_id')) {
      begun += 1;
      await promise;
    }
    return send();
  });
  letGo = () => {
    stop();
    resolve();
  };
  return () => begun;
}

/** Sends a request and goes on. */
function leave(line: string, headers: string[] = [], localAddress = '127.0.0.1'): void {
  const socket = connect({ port: listener.port, host: '127.0.0.1', localAddress });
  sockets.push(socket);
  socket.on('data', (bytes) => received.push(bytes.toString('latin1')));
  const fields = ['Host: localhost', `Authorization: Bearer ${token}`, ...headers];
  socket.write(`${[`${line} HTTP/1.1`, ...fields].join('\r\n')}\r\n\r\n`);
}

/** The status of a GET. */
async function ask(path: string, headers: Record<string, string> = {}, localAddress = '127.0.0.1') {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const agent = new Agent({ maxSockets: 1 });
  httpRequest({ port: listener.port, host: '127.0.0.1', localAddress, path, headers, agent }, (answer) => {
    answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
  })
    .on('error', reject)
    .end();
  return promise.finally(() => agent.destroy());
}

test('a request that withholds its body takes a slot as soon as it starts', async () => {
  const begun = hold();
  for (let sent = 0; sent < 10; sent++) leave(`GET ${heldPath}`, ['Content-Length: 1']);
  await vi.waitFor(() => expect(begun()).toBe(3), 60_000);
  expect(await ask('/nothing')).toBe(503);
});

test('the addresses of one IPv6 network share a limit', async () => {
  const begun = hold();
  for (let sent = 1; sent <= 10; sent++)
    leave(`GET ${heldPath}`, [`X-Forwarded-For: 2001:db8:1:2::${sent}`], '127.0.0.9');
  await vi.waitFor(() => expect(begun()).toBeGreaterThanOrEqual(3), 60_000);
  expect(await ask('/nothing', { 'X-Forwarded-For': '2001:db8:1:2:3::1' }, '127.0.0.9')).toBe(503);
  expect(begun()).toBe(3);
  expect(await ask('/nothing', { 'X-Forwarded-For': '2001:db8:9::1' }, '127.0.0.9')).toBe(404);
});

test('health checks of one address do not cause those of another to be refused', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const query = vi.spyOn(gateway.app.store.pool, 'query').mockImplementation(((...given: unknown[]) =>
    promise.then(() => {
      query.mockRestore();
      return Reflect.apply(gateway.app.store.pool.query, gateway.app.store.pool, given);
    })) as never);
  received.length = 0;
  for (let sent = 0; sent < 10; sent++) leave('GET /readyz', [], '127.0.0.5');
  const refused = () => received.join('').match(/ 503 /g) ?? [];
  await vi.waitFor(() => expect(refused().length).toBeGreaterThanOrEqual(6), 5_000);
  const ready = ask('/readyz', {}, '127.0.0.6');
  resolve();
  expect(await ready).toBe(200);
});
