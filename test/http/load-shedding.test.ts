// More than can be answered: what is begun, what is refused before anything was done for it, and that nobody else pays for it.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { STATUS_OF } from '../../src/errors.ts';
import { type Listener, listen } from '../../src/http/listener.ts';
import { createLoadShedding, type LoadShedding } from '../../src/http/load-shedding.ts';
import { SECURITY_HEADERS } from '../../src/http/security-headers.ts';
import { createLogger } from '../../src/output/log.ts';
import * as factories from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { intercept } from '../support/graphql-statements.ts';
import { requireDocumented } from '../support/openapi.ts';
import { expectProblem } from '../support/problem.ts';
import { sendBytes, toResponses } from '../support/wire.ts';

const quiet = createLogger('silent');

describe('what is admitted', () => {
  const shedding = (max = 1_000, log = quiet): LoadShedding => createLoadShedding({ max, log });
  const admit = (load: LoadShedding, key: string) => {
    const isAdmitted = load.admits(key);
    if (isAdmitted) load.begin(key);
    return isAdmitted;
  };
  /** How many of `count` requests of a key are admitted. */
  const admitted = (load: LoadShedding, key: string, count: number) =>
    Array.from({ length: count }, () => admit(load, key)).filter(Boolean).length;

  test('no more than the limit of one address; another one then still has its share', () => {
    const load = shedding();
    const { limit } = load.reading();
    expect(admitted(load, 'busy', 10 * limit)).toBe(limit);
    expect(admitted(load, 'quiet', 10)).toBe(10);
    expect(admit(load, 'busy')).toBe(false);
    expect(load.reading()).toEqual({ underWay: limit + 10, limit, shed: 9 * limit + 1 });
    load.close();
  });

  test('the limit is lowered where the event loop is late, down to a floor, and rises while it is not', () => {
    const load = shedding();
    admitted(load, 'busy', 1_000);
    const { limit } = load.reading();
    load.look(500);
    expect(load.reading().limit).toBeLessThan(limit);
    for (let look = 0; look < 100; look++) load.look(500);
    const lowest = load.reading().limit;
    expect(lowest).toBeGreaterThan(10);
    for (let look = 0; look < 1_000; look++) {
      admit(load, 'busy');
      load.look(0);
    }
    expect(load.reading().limit).toBe(1_000);
    load.close();
  });

  test('stalls of the machine, however long, lower the limit to half at most, unless one follows the other', () => {
    const load = shedding();
    const { limit } = load.reading();
    for (let look = 0; look < 100; look++) {
      admit(load, 'busy');
      load.look(look % 2 === 0 ? 5_000 : 0);
      expect(load.reading().limit).toBeGreaterThanOrEqual(limit / 2);
    }
    load.close();
  });

  test('the limit is not raised while most answers take long', () => {
    const load = shedding();
    const { limit } = load.reading();
    for (let look = 0; look < 100; look++) {
      admitted(load, 'busy', 300);
      for (let answer = 0; answer < 3; answer++) load.release('busy', answer === 0 ? 1 : 1_000);
      load.look(0);
    }
    expect(load.reading().limit).toBe(limit);
    load.close();
  });

  test('it is told in the log once a second at most', () => {
    const lines: string[] = [];
    const load = shedding(10, createLogger('warn', { write: (line) => lines.push(line) }));
    admitted(load, 'busy', 500);
    for (let look = 0; look < 100; look++) load.look(0);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', requests: 490, underWay: 10 });
    load.close();
  });

  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

  test('a turn of the event loop begins no more than the limit, however fast they are answered', async () => {
    const load = shedding();
    const { limit } = load.reading();
    let begun = 0;
    while (admit(load, 'busy')) {
      load.release('busy', 0);
      begun += 1;
    }
    expect(begun).toBe(limit);
    await turn();
    expect(admit(load, 'busy')).toBe(true);
    load.close();
  });

  test('it goes on looking while somebody waits to be read, and ends when nothing is under way', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let waits = true;
    const load = createLoadShedding({ max: 1, log: quiet, onLook: () => waits });
    admit(load, 'busy');
    load.release('busy', 1);
    await turn();
    vi.advanceTimersByTime(60_000);
    expect(vi.getTimerCount()).toBe(1);
    waits = false;
    vi.advanceTimersByTime(60_000);
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  test('whatever comes and goes: bounded, nobody without anything under way is refused while there are few, all is released', async () => {
    const step = fc.record({ key: fc.nat(5), leaves: fc.boolean(), lateMs: fc.constantFrom(0, 0, 0, 200) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 400 }),
        fc.integer({ min: 1, max: 40 }),
        async (steps, max) => {
          const load = shedding(max);
          const held: string[] = [];
          for (const { key, leaves, lateMs } of steps) {
            const own = held.filter((one) => one === String(key)).length;
            const { limit, underWay } = load.reading();
            const isAdmitted = admit(load, String(key));
            if (isAdmitted) held.push(String(key));
            else expect(own > 0 || underWay >= 2 * limit).toBe(true);
            expect(load.reading().underWay).toBe(held.length);
            expect(load.reading().limit).toBeLessThanOrEqual(max);
            const [first] = held;
            if (leaves && first !== undefined) {
              load.release(held.shift() ?? first, 1);
              await turn();
            }
            load.look(lateMs);
          }
          for (const key of held) load.release(key, 1);
          await turn();
          expect(load.reading().underWay).toBe(0);
          load.close();
        },
      ),
    );
  });
});

describe('over sockets, where one request may be under way', () => {
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
    await vi.waitFor(async () => expect((await ask(path)).status).toBe(200));
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

  /** A request that is under way until it is let go on. */
  async function occupy(): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = intercept(gateway, async (name, send) => {
      if (name.startsWith('contacts')) await promise;
      return send();
    });
    const socket = connect({ port: listener.port, host: '127.0.0.1' });
    sockets.push(socket);
    socket.write(request(`GET ${heldPath}`));
    await vi.waitFor(async () => expect((await ask('/nothing')).status).toBe(503));
    letGo = () => {
      stop();
      resolve();
    };
    return letGo;
  }

  test('the next is 503 with Retry-After as a documented problem, and nothing was done for it: not even its key is looked at', async () => {
    await occupy();
    const lines = gateway.logLines.length;
    const response = await ask(path, 'X-Request-Id: mine', 'Origin: https://app.example');
    const { headers } = response;
    expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(Number(headers.get('Retry-After'))).toBeLessThanOrEqual(3);
    expect(headers.get('X-Request-Id')).toBe('mine');
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('Access-Control-Allow-Origin')).toBe('https://app.example');
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(headers.get(name)).toBe(value);
    await requireDocumented('GET', new URL(`http://localhost${path}`), response.clone());
    await expectProblem(response, 'unavailable');
    expect(gateway.logLines.slice(lines).join()).not.toContain('mine');
  });

  test('over GraphQL it has the form of GraphQL', async () => {
    await occupy();
    const response = await ask('/graphql?query={viewer{kind}}');
    expect(response.status).toBe(STATUS_OF.unavailable);
    expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    const requestId = response.headers.get('X-Request-Id');
    expect(await response.json()).toEqual({
      errors: [{ message: expect.any(String), extensions: { code: 'UNAVAILABLE', requestId } }],
    });
  });

  test('/healthz is answered as ever, and /readyz too: what others send takes no process out of its balancer', async () => {
    await occupy();
    const alive = await ask('/healthz');
    expect([alive.status, await alive.json()]).toEqual([200, { status: 'alive' }]);
    expect(alive.headers.get('X-Content-Type-Options')).toBe('nosniff');
    const ready = await ask('/readyz');
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ready' }]);
  });

  test('another address is served, behind a proxy as well', async () => {
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
    expect(await from('127.0.0.1')).toBe(503);
    expect(await from('127.0.0.2')).toBe(200);
    expect(await from('127.0.0.9', 'X-Forwarded-For: 10.1.1.1')).toBe(200);
    expect(await from('127.0.0.9', 'X-Forwarded-For: 10.1.1.1, 127.0.0.1')).toBe(503);
    // A stranger's word for where it comes from is nothing.
    expect(await from('127.0.0.1', 'X-Forwarded-For: 10.1.1.1')).toBe(503);
  });

  test('what is pipelined behind a request that was shed is dropped with the connection', async () => {
    await occupy();
    const bytes = request(`GET ${path}`).repeat(10);
    const responses = toResponses(await sendBytes(listener.port, bytes));
    expect(responses.length).toBeLessThan(3);
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 503));
    expect(responses.at(-1)?.headers.get('Connection')).toBe('close');
  });

  test('a body that does not come takes nobody’s place', async () => {
    for (let one = 0; one < 5; one++) {
      const socket = connect(listener.port, '127.0.0.1');
      sockets.push(socket);
      socket.write(request(`POST ${heldPath}`, 'Content-Type: application/json', 'Content-Length: 2'));
      await vi.waitFor(async () => expect((await ask(path)).status).toBe(200));
    }
  });

  test('a connection whose request was shed is read again: its next one is served once there is room', async () => {
    const goOn = await occupy();
    const socket = connect(listener.port, '127.0.0.1');
    sockets.push(socket);
    let text = '';
    socket.setEncoding('latin1').on('data', (data: string) => {
      text += data;
    });
    await once(socket, 'connect');
    for (let round = 1; round <= 5; round++) {
      socket.write(request(`GET ${path}`));
      await vi.waitFor(() => expect(text.match(/HTTP\/1\.1 503/g)).toHaveLength(round));
    }
    goOn();
    await vi.waitFor(async () => expect((await ask(path)).status).toBe(200));
    socket.write(request(`GET ${path}`, 'Connection: close'));
    await once(socket, 'close');
    expect(toResponses(text).map(({ status }) => status)).toEqual([503, 503, 503, 503, 503, 200]);
  });
});
