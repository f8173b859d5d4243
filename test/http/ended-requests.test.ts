// What a client's disconnection aborts, over a real socket, and what it does not (src/http/exchange.ts).
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { listen } from '../../src/http/listener.ts';
import * as factories from '../support/factories.ts';
import { createGateway } from '../support/gateway.ts';
import { holdUp, intercept } from '../support/graphql-statements.ts';
import { breakages } from '../support/hostile.ts';
import { build, readPlan } from '../support/removals.ts';
import { createObserver } from '../support/statements.ts';
import { toResponses } from '../support/wire.ts';

const sockets: Socket[] = [];

const gateway = await createGateway({ env: { PORT: '0', LOOKUP_CACHE_MS: '60000' } });
const listener = await listen(gateway.app);
const observer = await createObserver(gateway);
const { id, teamId } = await factories.workspace(gateway.app);
const workspaceId = id;
const caller = await factories.apiKey(gateway.app, { teamId });
await factories.contacts(gateway.app, workspaceId, 3);
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => {
  await listener.close();
  await observer.close();
  await gateway.close();
});

const request = (line: string, body = '', type = 'application/json') =>
  `${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${caller.token}\r\nContent-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const query = (text: string) => request('POST /graphql', JSON.stringify({ query: text }));
const counting = () => query(`{ workspace(by: { databaseId: ${workspaceId} }) { contacts { totalCount } } }`);
const listing = () =>
  query(`{ workspace(by: { databaseId: ${workspaceId} }) { contacts { nodes { databaseId } } } }`);

/** A client that has sent these bytes, and collects what it receives. */
async function client(bytes: string): Promise<{ socket: Socket; received: () => string }> {
  const socket = connect(listener.port, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  await once(socket, 'connect');
  socket.write(bytes);
  return { socket, received: () => received };
}

const LOCK = 'lock table contacts';
const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 20 });

/** How many counts hold a slot, and how many wait for one. */
const counted = () => [gateway.app.store.expensive.running, gateway.app.store.expensive.waiting];
const countsUnderWay = async () => (await observer.underWay()).filter((text) => text.includes('count(*)'));

test('a count whose client disconnects releases its slot, waiting or running, and PostgreSQL cancels it', async () => {
  const send = holdUp(gateway, 'contacts.count_one');
  const first = await client(counting());
  await eventually(() => expect(counted()).toEqual([1, 0]));
  const second = await client(counting());
  await eventually(() => expect(counted()).toEqual([1, 1]));
  await observer.whileLocked(LOCK, async () => {
    send();
    await eventually(async () => expect(await countsUnderWay()).toHaveLength(1));
    second.socket.destroy();
    await eventually(() => expect(counted()).toEqual([1, 0]));
    expect(await countsUnderWay()).toHaveLength(1);
    first.socket.destroy();
    await eventually(async () => expect(await countsUnderWay()).toEqual([]));
    await eventually(() => expect([...counted(), gateway.app.store.expensive.keys]).toEqual([0, 0, 0]));
  });
  const third = await client(counting());
  await eventually(() => expect(third.received()).toContain('{"totalCount":3}'));
  expect(breakages(gateway)).toEqual([]);
  expect(gateway.logLines.join()).not.toContain('reading connection lost');
});

test('the first of pipelined requests is aborted with its connection, the next never starts, and other connections continue', async () => {
  const send = holdUp(gateway, 'contacts.count_one');
  const both = await client(counting() + counting());
  await eventually(() => expect(counted()).toEqual([1, 0]));
  const other = await client(counting());
  await eventually(() => expect(counted()).toEqual([1, 1]));
  await observer.whileLocked(LOCK, async () => {
    send();
    await eventually(async () => expect(await countsUnderWay()).toHaveLength(1));
    both.socket.destroy();
    await eventually(() => expect(counted()).toEqual([1, 0]));
    expect(other.received()).toBe('');
  });
  await eventually(() => expect(other.received()).toContain('{"totalCount":3}'));
});

test('a removal whose client disconnects while it waits for its funnel changes nothing, and leaves nothing behind', async () => {
  const plans = ['A', { split: 'S', matched: ['M'], unmatched: ['U'] }, 'Z'];
  const built = await build(gateway, workspaceId, plans);
  const path = `/api/v2/funnels/${built.funnel.id}/conditional_split_steps/${built.step('S').id}`;
  const lock = `select from funnels where id = ${built.funnel.id} for update`;
  await observer.whileLocked(lock, async () => {
    const { socket } = await client(request(`DELETE ${path}`));
    await eventually(async () => expect(await observer.underWay()).toHaveLength(1));
    const lines = gateway.logLines.length;
    socket.destroy();
    await eventually(() => expect(gateway.logLines).toHaveLength(lines + 1));
  });
  await eventually(async () => expect(await observer.underWay()).toEqual([]));
  expect(await readPlan(gateway, caller, built)).toEqual(plans);
});

test('a fast path operation whose client disconnects is not repeated by Yoga: each read is sent once', async () => {
  const known = await client(listing());
  await eventually(() => expect(known.received()).toContain('"nodes":[{'));
  const names: string[] = [];
  const stop = intercept(gateway, (name, send) => {
    names.push(name);
    return send();
  });
  await observer.whileLocked(LOCK, async () => {
    const { socket } = await client(listing());
    await eventually(() => expect(names.filter((name) => name.includes('contacts'))).toHaveLength(1));
    const lines = gateway.logLines.length;
    socket.destroy();
    await eventually(() => expect(gateway.logLines).toHaveLength(lines + 1));
  });
  await eventually(async () => expect(await observer.underWay()).toEqual([]));
  // Reads that follow from the received rows have been sent by now.
  const after = await client(listing());
  await eventually(() => expect(after.received()).toContain('"nodes":[{'));
  stop();
  expect(names.filter((name) => name.includes('contacts'))).toHaveLength(2);
});

test('the log line of a disconnected client’s request is written at once, and is not a failure', async () => {
  await observer.whileLocked(LOCK, async () => {
    const { socket } = await client(listing());
    await eventually(async () => expect(await observer.underWay()).toHaveLength(1));
    gateway.logLines.length = 0;
    socket.destroy();
    await eventually(() => expect(gateway.logLines).toHaveLength(1));
    expect(JSON.parse(gateway.logLines[0] ?? '')).toMatchObject({ level: 'info', status: 400 });
  });
});

test('a connection answers its next request after one that exceeded its deadline', async () => {
  const config = { ...gateway.app.config };
  // Long enough for an unblocked request, also on a busy machine.
  const hasty = await listen({
    ...gateway.app,
    config: { ...config, limits: { ...config.limits, requestTimeoutMs: 2_000 } },
  });
  const socket = connect(hasty.port, '127.0.0.1');
  sockets.push(socket);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  const path = `/api/v2/workspaces/${workspaceId}/contacts`;
  await observer.whileLocked(LOCK, async () => {
    socket.write(request(`GET ${path}`));
    await eventually(() => expect(received).toContain('took too long'));
  });
  socket.write(request(`GET ${path}`));
  await eventually(() => expect(toResponses(received).map(({ status }) => status)).toEqual([503, 200]));
  socket.destroy();
  await hasty.close();
});

test('requests that still run after the shutdown timeout are aborted', async () => {
  const { config } = gateway.app;
  const stopping = await listen({
    ...gateway.app,
    config: { ...config, limits: { ...config.limits, shutdownTimeoutMs: 0 } },
  });
  const send = holdUp(gateway, 'contacts.count_one');
  const socket = connect(stopping.port, '127.0.0.1').on('error', () => {});
  sockets.push(socket);
  socket.write(counting());
  await eventually(() => expect(counted()).toEqual([1, 0]));
  await observer.whileLocked(LOCK, async () => {
    send();
    await eventually(async () => expect(await countsUnderWay()).toHaveLength(1));
    await stopping.close();
    await eventually(async () => expect(await countsUnderWay()).toEqual([]));
    await eventually(() => expect(counted()).toEqual([0, 0]));
  });
});
