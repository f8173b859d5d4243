// Stalled connections: a stopped server process, and a network that is cut without either side noticing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { type Caller, createGateway, type Gateway } from '../support/gateway.ts';
import { createNetwork, type Network } from '../support/network.ts';
import { prismaOf } from '../support/prisma.ts';

const STATEMENT_TIMEOUT_MS = 1_500;
const PER_PAGE = 40;
/** The connections that share the reads and the look-ups while none is stalled. */
const READING = 6;
/** Expected within half a second; the rest is for a busy machine. Less than the statement timeout and its grace period. */
const WITHIN_MS = 3_000;

let gateway: Gateway;
let network: Network;
let caller: Caller;
let workspaceId: bigint;
let answers: string[];

beforeAll(async () => {
  gateway = await createGateway({
    env: { STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS) },
    async through(url) {
      network = await createNetwork(url);
      return network.url;
    },
  });
  const workspace = await factories.workspace(gateway.app);
  workspaceId = workspace.id;
  caller = await factories.apiKey(gateway.app, { teamId: workspace.teamId });
  await factories.contacts(gateway.app, workspaceId, PER_PAGE);
  answers = [];
  for (let size = 1; size <= PER_PAGE; size++) answers.push(await (await page(size)).text());
});
afterAll(async () => {
  await gateway.close();
  await network.close();
});

const page = (size: number) =>
  gateway.send(`/api/v2/workspaces/${workspaceId}/contacts?per_page=${size}`, { caller });

interface Request {
  /** null until there is an answer. */
  status: number | null;
  readonly answered: Promise<void>;
}

/** Requests a page of every size concurrently. A response of 200 must have that page. */
function requestEverySize(): Request[] {
  return answers.map((expected, index) => {
    const request: Request = {
      status: null,
      answered: page(index + 1).then(async (response) => {
        const text = await response.text();
        if (response.status === 200) expect(text).toBe(expected);
        request.status = response.status;
      }),
    };
    return request;
  });
}

const unanswered = (all: readonly Request[]) => all.filter(({ status }) => status === null).length;

/** The server processes whose last statement read contacts. */
async function readingPids(): Promise<number[]> {
  const { rows } = await gateway.app.store.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
      and query ~ 'unsubscribed_at as' order by pid`,
  );
  return rows.map(({ pid }) => pid);
}

test('while one server process is stopped all other reads are answered, and its own when it continues', async () => {
  await Promise.all(requestEverySize().map(({ answered }) => answered));
  const [pid] = await readingPids();
  if (pid === undefined) throw new Error('no connection for reads');
  process.kill(pid, 'SIGSTOP');
  try {
    const all = requestEverySize();
    await expect.poll(() => unanswered(all), { timeout: WITHIN_MS }).toBeLessThanOrEqual(1);
    // Later requests are not sent to the stalled connection.
    const later = requestEverySize();
    await expect.poll(() => unanswered(later), { timeout: WITHIN_MS }).toBe(0);
    process.kill(pid, 'SIGCONT');
    await Promise.all(all.map(({ answered }) => answered));
    const statuses = [...all, ...later].map(({ status }) => status);
    // The stopped process' own statement may have reached its timeout.
    expect(statuses.filter((status) => status !== 200).length).toBeLessThanOrEqual(1);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  // On a busy machine another one may count as stalled too: its requests are still answered.
  expect(gateway.logLines.join()).toContain('reading connection stalled');
  // The replacements are closed.
  await expect.poll(readingPids).toHaveLength(4);
});

test('when all connections are cut each request is answered in a bounded time, most of them soon, and service recovers', async () => {
  await Promise.all(requestEverySize().map(({ answered }) => answered));
  for (const connection of network.connections) connection.cut();
  const all = requestEverySize();
  // Only the first read of each connection fails with it.
  await expect.poll(() => unanswered(all), { timeout: WITHIN_MS }).toBeLessThanOrEqual(READING);
  await Promise.all(all.map(({ answered }) => answered));
  const lost = all.filter(({ status }) => status !== 200);
  expect(lost.length).toBeLessThanOrEqual(READING);
  expect(new Set(lost.map(({ status }) => status)).isSubsetOf(new Set([503]))).toBe(true);
  const after = requestEverySize();
  await Promise.all(after.map(({ answered }) => answered));
  expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200]));
});

const poolResumes = () =>
  expect
    .poll(() =>
      prismaOf(gateway.app.store)
        .team.count()
        .catch(() => 0),
    )
    .toBeGreaterThan(0);

test('a statement on a pooled connection that was cut fails, and the next one is executed over another', async () => {
  await poolResumes();
  const before = network.connections.length;
  for (const connection of network.connections) connection.cut();
  const count = factories.funnel(gateway.app, { workspaceId });
  await expect(count).rejects.toThrow(/terminated/i);
  await poolResumes();
  expect(network.connections.length).toBeGreaterThan(before);
});

test('a transaction on a connection that was cut fails, and its connection is not reused', async () => {
  const { store } = gateway.app;
  await poolResumes();
  const work = prismaOf(store).$transaction(async (tx) => {
    await tx.team.count();
    for (const connection of network.connections) connection.cut();
    await tx.team.count();
  });
  await expect(work).rejects.toThrow();
  await poolResumes();
  const counts = await Promise.all(Array.from({ length: 8 }, () => prismaOf(store).team.count()));
  expect(Math.min(...counts)).toBeGreaterThan(0);
});

test('a gateway whose idle connections were cut can be closed', async () => {
  let cut: Network | undefined;
  const closing = await createGateway({
    env: { LOOKUP_CACHE_MS: '2000' },
    async through(url) {
      cut = await createNetwork(url);
      return cut.url;
    },
  });
  // Each kind of connection: look-ups, reads, the pool, and the one that listens.
  const { teamId } = await factories.workspace(closing.app);
  const key = await factories.apiKey(closing.app, { teamId });
  expect((await closing.send('/api/v2/teams', { caller: key })).status).toBe(200);
  for (const connection of cut?.connections ?? []) connection.cut();
  await closing.close();
  await cut?.close();
});
