// The saved-filter registry: complete unless paged (spec §4 pagination rule 7).
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { listen } from '../../src/http/listener.ts';
import { drawIds } from '../../src/store/changing/ids.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { intercept } from '../support/graphql-statements.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { allIds, idsOf, walk } from '../support/walk.ts';

/** More than two of the batches in which a registry is read. */
const FILTERS = 2_350;

const gateway = await ownGateway();
const workspace = await factories.workspace(gateway.app);
const empty = await factories.workspace(gateway.app, { teamId: workspace.teamId });
const caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
const ids = await drawIds(prismaOf(gateway.app.store), 'refine_filters', FILTERS);
const data = ids.map((id) => ({ id, workspaceId: workspace.id, name: `No. ${id}` }));
await prismaOf(gateway.app.store).refineFilter.createMany({ data });
const path = `/api/v2/workspaces/${workspace.id}/refine_filters`;
const emptyPath = `/api/v2/workspaces/${empty.id}/refine_filters`;

test.each([
  ['', false],
  ['?sort_order=asc', false],
  ['?sort_order=desc', true],
  ['?unknown=1&AFTER=2', false],
])('the whole registry comes in one array without pagination headers: "%s"', async (query, newestFirst) => {
  const response = await gateway.send(path + query, { caller });
  expect(response.headers.get('Content-Type')).toBe('application/json');
  expect(response.headers.has('Pagination-Next')).toBe(false);
  expect(response.headers.has('Link')).toBe(false);
  expect(await idsOf(response)).toEqual(newestFirst ? ids.toReversed() : ids);
});

test('an empty registry is an empty array, complete or paged', async () => {
  for (const query of ['', '?sort_order=desc', '?after=0', '?per_page=5', '?after=0&sort_order=desc']) {
    const response = await gateway.send(emptyPath + query, { caller });
    expect([query, response.status, await response.text()]).toEqual([query, 200, '[]']);
    expect(response.headers.has('Pagination-Next')).toBe(false);
    expect(response.headers.has('Link')).toBe(false);
  }
});

test('a registry of exactly one batch ends there', async () => {
  const workspace = await factories.workspace(gateway.app);
  const drawn = await drawIds(prismaOf(gateway.app.store), 'refine_filters', 1_000);
  const data = drawn.map((id) => ({ id, workspaceId: workspace.id, name: `No. ${id}` }));
  await prismaOf(gateway.app.store).refineFilter.createMany({ data });
  const response = await gateway.send(`/api/v2/workspaces/${workspace.id}/refine_filters`, {
    caller: await factories.apiKey(gateway.app, { teamId: workspace.teamId }),
  });
  expect(await idsOf(response)).toEqual(drawn);
});

describe('paging is optional', () => {
  test.each([
    ['?after=0', 20, false],
    ['?after=0&sort_order=desc', 20, true],
    ['?after=000&sort_order=desc', 20, true],
    ['?per_page=7', 7, false],
    ['?per_page=7&sort_order=desc', 7, true],
    ['?after=0&per_page=500&sort_order=desc', 100, true],
  ])('by "%s": pages of %i', async (query, size, newestFirst) => {
    const response = await gateway.send(path + query, { caller });
    const expected = (newestFirst ? ids.toReversed() : ids).slice(0, size);
    expect(await idsOf(response)).toEqual(expected);
    expect(response.headers.get('Pagination-Next')).toBe(String(expected.at(-1)));
  });

  test.each(['asc', 'desc'])('and a walk from after=0 gives the whole registry (%s)', async (order) => {
    const pages = await walk(gateway, `${path}?after=0&per_page=100&sort_order=${order}`, { caller });
    expect(allIds(pages)).toEqual(order === 'asc' ? ids : ids.toReversed());
  });
});

test('an invalid parameter is refused before the stream starts', async () => {
  for (const query of ['?sort_order=up', '?after=', '?per_page=', '?per_page=0', '?after=x&per_page=5']) {
    await expectProblem(await gateway.send(path + query, { caller }), 'invalid');
  }
});

test('an unread registry holds no database connection', async () => {
  for (let i = 0; i < 10; i++) {
    const response = await gateway.send(path, { caller });
    await response.body?.cancel();
  }
  expect(await idsOf(await gateway.send(path, { caller }))).toHaveLength(FILTERS);
  expect(gateway.app.store.pool.waitingCount).toBe(0);
});

test('a client that disconnects ends the stream: no further batch is read', async () => {
  const { config } = gateway.app;
  const listener = await listen({ ...gateway.app, config: { ...config, port: 0 } });
  const second = Promise.withResolvers<void>();
  const reads: Promise<unknown>[] = [];
  const signals: (AbortSignal | undefined)[] = [];
  const stop = intercept(gateway, async (name, send, _values, signal) => {
    if (!name.startsWith('refine_filters')) return send();
    const read = reads.length === 0 ? send() : second.promise.then(send);
    reads.push(read);
    signals.push(signal);
    return read;
  });
  const socket = connect(listener.port, '127.0.0.1');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${caller.authorization}\r\n\r\n`);
  await once(socket, 'data');
  await expect.poll(() => reads.length).toBe(2);
  socket.destroy();
  await listener.close();
  await expect.poll(() => signals[1]?.aborted).toBe(true);
  second.resolve();
  const outcomes = await Promise.allSettled(reads);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect((await gateway.send('/api/v2/teams', { caller })).status).toBe(200);
  expect(reads).toHaveLength(2);
  stop();
});
