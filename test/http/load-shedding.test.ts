// Overload: which requests start, which wait and are refused before any work, and that no other client pays for it.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { STATUS_OF } from '../../src/errors.ts';
import { type Listener, listen } from '../../src/http/listener.ts';
import { SECURITY_HEADERS } from '../../src/http/security-headers.ts';
import { buildInfo } from '../../src/output/build-info.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { intercept } from '../support/graphql-statements.ts';
import { requireDocumented } from '../support/openapi.ts';
import { expectProblem } from '../support/problem.ts';
import { sendBytes, toResponses } from '../support/wire.ts';

let gateway: Gateway;
let listener: Listener;
const path = '/api/v2/teams';
let heldPath: string;
let token: string;
const sockets: Socket[] = [];
let letGo = () => {};

beforeAll(async () => {
  gateway = await createGateway({
    env: { PORT: '0', MAX_UNDER_WAY: '1', CORS_ORIGINS: 'https://app.example', TRUST_PROXY: '127.0.0.9' },
  });
  listener = await listen(gateway.app);
  const workspace = await factories.workspace(gateway.app);
  token = (await factories.apiKey(gateway.app, { teamId: workspace.teamId })).token;
  heldPath = `/api/v2/workspaces/${workspace.id}/contacts`;
});
afterEach(async () => {
  letGo();
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await listener.close();
  await gateway.close();
});

const request = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`, ...headers].join('\r\n')}\r\n\r\n`;

async function ask(target: string, ...headers: string[]): Promise<Response> {
  const bytes = request(`GET ${target}`, 'Connection: close', ...headers);
  return toResponses(await sendBytes(listener.port, bytes))[0] as Response;
}

/** A request that is in progress until it is released. */
async function occupy({ port } = listener): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const stop = intercept(gateway, async (name, send) => {
    if (name.startsWith('contacts')) {
      begun.resolve();
      await promise;
    }
    return send();
  });
  const socket = connect({ port, host: '127.0.0.1' });
  sockets.push(socket);
  socket.write(request(`GET ${heldPath}`));
  await begun.promise;
  letGo = () => {
    stop();
    resolve();
  };
  return letGo;
}

test('a request that waits too long gets 503 with Retry-After before any work; one log line counts all, and health checks still work', async () => {
  await occupy();
  const lines = gateway.logLines.length;
  const [response, graphql, alive, ready] = await Promise.all([
    ask(path, 'X-Request-Id: mine', 'Origin: https://app.example'),
    ask('/graphql?query={viewer{kind}}'),
    ask('/healthz'),
    ask('/readyz'),
  ]);
  const { headers } = response;
  expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
  expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(3);
  expect(headers.get('X-Request-Id')).toBe('mine');
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(headers.get('Access-Control-Allow-Origin')).toBe('https://app.example');
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(headers.get(name)).toBe(value);
  await requireDocumented('GET', new URL(`http://localhost${path}`), response.clone());
  await expectProblem(response, 'unavailable');

  expect(graphql.status).toBe(STATUS_OF.unavailable);
  expect(graphql.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  const requestId = graphql.headers.get('X-Request-Id');
  expect(await graphql.json()).toEqual({
    errors: [{ message: expect.any(String), extensions: { code: 'UNAVAILABLE', requestId } }],
  });

  expect([alive.status, await alive.json()]).toEqual([
    200,
    { status: 'alive', version: buildInfo().version },
  ]);
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);

  expect(gateway.logLines.slice(lines).join()).not.toContain('mine');
  const told = () => gateway.logLines.slice(lines).filter((line) => line.includes('requests shed'));
  await vi.waitFor(() => expect(told()).toHaveLength(1), 5_000);
  expect(JSON.parse(told()[0] ?? '')).toMatchObject({ level: 'warn', requests: 2, underWay: 1, limit: 1 });
});

test('requests that are admitted meanwhile are answered in their order', async () => {
  const goOn = await occupy();
  const all = sendBytes(listener.port, request(`GET ${path}`) + request('GET /nothing', 'Connection: close'));
  const alive = await ask('/healthz');
  expect(alive.status).toBe(200);
  goOn();
  expect(toResponses(await all).map(({ status }) => status)).toEqual([200, 404]);
});

test('a waiting request on a closing listener is answered as the last one of its connection', async () => {
  const ending = await listen(gateway.app);
  const goOn = await occupy(ending);
  const waiting = sendBytes(ending.port, request(`GET ${path}`));
  const alive = await sendBytes(ending.port, request('GET /healthz', 'Connection: close'));
  expect(toResponses(alive)[0]?.status).toBe(200);
  const closing = ending.close();
  goOn();
  const responses = toResponses(await waiting);
  expect(responses.map(({ status }) => status)).toEqual([200]);
  expect(responses[0]?.headers.get('Connection')).toBe('close');
  await closing;
});

test('other addresses are served, also behind a proxy', async () => {
  await occupy();
  const from = async (localAddress: string, ...headers: string[]) => {
    const socket = connect({ port: listener.port, host: '127.0.0.1', localAddress });
    let text = '';
    socket.setEncoding('latin1').on('data', (data: string) => {
      text += data;
    });
    await once(socket, 'connect');
    socket.write(request(`GET ${path}`, 'Connection: close', ...headers));
    await once(socket, 'close');
    return toResponses(text)[0]?.status;
  };
  const statuses = Promise.all([
    from('127.0.0.1'),
    from('127.0.0.2'),
    from('127.0.0.9', 'X-Forwarded-For: 10.1.1.1'),
    from('127.0.0.9', 'X-Forwarded-For: 10.1.1.1, 127.0.0.1'),
    // A stranger's forwarded address counts for nothing.
    from('127.0.0.1', 'X-Forwarded-For: 10.1.1.1'),
  ]);
  expect(await statuses).toEqual([503, 200, 200, 503, 503]);
});

test('a missing body holds nobody’s slot', async () => {
  for (let one = 0; one < 5; one++) {
    const socket = connect(listener.port, '127.0.0.1');
    sockets.push(socket);
    socket.write(request(`POST ${heldPath}`, 'Content-Type: application/json', 'Content-Length: 2'));
    await vi.waitFor(async () => expect((await ask(path)).status).toBe(200), 60_000);
  }
});
