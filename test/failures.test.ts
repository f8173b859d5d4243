// Database failures: unreachable, slow, or connections killed during requests.
import pg from 'pg';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { closeApp, createApp } from '../src/app.ts';
import { parseConfig } from '../src/config/config.ts';
import { createLogger } from '../src/output/log.ts';
import * as factories from './support/factories.ts';
import { createCheckedServer, createGateway, TEST_SECRET_KEY } from './support/gateway.ts';
import { sampleAt, times } from './support/nightly.ts';
import { createTenant, OPERATIONS, requestOf, UNSAFE } from './support/operations.ts';
import { prismaOf } from './support/prisma.ts';
import { expectProblem, type Problem } from './support/problem.ts';

const gateway = await createGateway({ env: { STATEMENT_TIMEOUT_MS: '400' } });
const tenant = await createTenant(gateway.app, 'ours');
const caller = await factories.apiKey(gateway.app, { teamId: tenant.team.id });
/** A connection for the test itself, on which no connection of the gateway can be waiting. */
const admin = new pg.Client({ connectionString: gateway.app.store.pool.options.connectionString });
await admin.connect();
afterAll(async () => {
  await admin.end();
  await gateway.close();
});

/** Text that would disclose internals. */
const INTERNALS =
  /postgres|prisma|pg_|sqlstate|select |ECONN|ENOENT|socket|127\.0\.0\.1|\.ts\b|node_modules|backend|terminat/i;

async function expectUnavailable(response: Response): Promise<Problem> {
  expect(response.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
  const problem = await expectProblem(response, 'unavailable');
  expect(JSON.stringify(problem)).not.toMatch(INTERNALS);
  return problem;
}

const killBackends = () =>
  admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`);

const split = () => ({
  path: `/api/v2/funnels/${tenant.funnel.id}/conditional_split_steps/${tenant.split.id}?branch=matched`,
  options: { caller, method: 'DELETE' },
});

describe('an unreachable database', () => {
  test.each([
    ['a closed port', 'postgresql://user:hunter2@127.0.0.1:9/db'],
    ['a socket that does not exist', 'postgresql://user:hunter2@localhost/db?host=/nonexistent'],
    ['a name that does not resolve', 'postgresql://user:hunter2@nowhere.invalid:5432/db'],
  ])('%s: every operation is 503 with Retry-After, and the log has no password', async (_, databaseUrl) => {
    const logLines: string[] = [];
    const log = createLogger('trace', { write: (line) => logLines.push(line) });
    const app = createApp(
      parseConfig({}, '/').config,
      { databaseUrl, secretKeys: () => [TEST_SECRET_KEY] },
      { log },
    );
    const server = createCheckedServer(app);
    const headers = { Authorization: caller.authorization ?? '' };
    for (const operation of sampleAt(databaseUrl, OPERATIONS)) {
      const sent = requestOf(operation, tenant);
      const request = new Request(`http://localhost${operation.path(tenant)}`, {
        ...sent,
        headers: { ...sent.headers, ...headers, 'Idempotency-Key': 'away' },
      });
      await expectUnavailable(await server.fetch(request));
    }
    await expectUnavailable(await server.fetch(new Request('http://localhost/readyz')));
    await expectUnavailable(await server.fetch(new Request('http://shop.localhost/api/v2/teams')));
    expect((await server.fetch(new Request('http://localhost/healthz'))).status).toBe(200);
    expect(logLines.join('')).not.toContain('hunter2');
    await closeApp(app);
  });
});

test('killed connections cause 503 at most, and service recovers by itself', async () => {
  const lists = OPERATIONS.filter(({ route }) => route.startsWith('GET'));
  let killing = true;
  const killer = (async () => {
    while (killing) await killBackends();
  })();
  for (let round = 0; round < times(20); round++) {
    const responses = await Promise.all(lists.map((list) => gateway.send(list.path(tenant), { caller })));
    for (const response of responses) {
      if (response.status !== 200) await expectUnavailable(response);
    }
  }
  killing = false;
  await killer;
  await expect.poll(async () => (await gateway.send('/api/v2/teams', { caller })).status).toBe(200);
  expect((await gateway.send('/readyz')).status).toBe(200);
});

test('a removal whose connection is killed is 503 and has changed nothing, or is made completely', async () => {
  const { app } = gateway;
  for (let round = 0; round < 8; round++) {
    const funnel = await factories.funnel(app, { workspaceId: tenant.workspace.id });
    const steps = await factories.workflow(app, funnel, [
      'A',
      { split: 'S', matched: ['M'], unmatched: ['U'] },
      'Z',
    ]);
    const path = `/api/v2/funnels/${funnel.id}/conditional_split_steps/${steps.get('S')?.id}?branch=matched`;
    const answer = gateway.send(path, { caller, method: 'DELETE' });
    // A little later in each round, so that different statements are under way.
    await new Promise((resolve) => setTimeout(resolve, round));
    await killBackends();
    const response = await answer;
    if (response.status !== 204) await expectUnavailable(response);
    const where = { funnelId: funnel.id, removedAt: null };
    // Each connection of the pool was killed, and the pool may not know it of several.
    const left = await vi.waitFor(
      () => prismaOf(app.store).funnelStep.findMany({ where, orderBy: { id: 'asc' } }),
      60_000,
    );
    expect([['A', 'S', 'M', 'U', 'Z'].join(), ['A', 'U', 'Z'].join()]).toContain(
      left.map((step) => step.name).join(),
    );
    if (response.status === 204) expect(left).toHaveLength(3);
  }
});

/** Of a workspace's changes, beside the one that it was created with. */
const OWN_ENTRIES = 'select id::int from audit_entries where workspace_id = $1 and id <> $2 order by id';

// A change of the team is recorded elsewhere (rest/teams.test.ts).
const RECORDED_HERE = UNSAFE.filter(({ route }) => !route.endsWith('/teams/:id'));

test.each(sampleAt('killed', RECORDED_HERE, 8))(
  '$route whose connection is killed is 503 and changed nothing, or made completely, and its retry is answered as the first',
  async (operation) => {
    for (const round of sampleAt(operation.route, [0, 1, 2, 3], 4)) {
      const fresh = await createTenant(gateway.app, 'fresh', tenant.team.id);
      const { headers, ...request } = requestOf(operation, fresh);
      const send = () =>
        gateway.send(operation.path(fresh), {
          caller,
          ...request,
          headers: { ...headers, 'Idempotency-Key': `round-${fresh.workspace.id}` },
        });
      const first = send();
      // A little later in each round, so that different statements are under way.
      await new Promise((resolve) => setTimeout(resolve, round));
      await killBackends();
      const response = await first;
      const text = response.status === operation.success ? await response.text() : null;
      if (text === null) await expectUnavailable(response);
      const { rows } = await admin.query(OWN_ENTRIES, [fresh.workspace.id, fresh.auditEntry.id]);
      if (text !== null) expect(rows).toHaveLength(operation.entries ?? 1);
      let retry = await send();
      await expect
        .poll(async () => {
          if (retry.status === 503) retry = await send();
          return retry.status;
        })
        .toBe(operation.success);
      if (text !== null) expect(await retry.text()).toBe(text);
      const entries = await admin.query(OWN_ENTRIES, [fresh.workspace.id, fresh.auditEntry.id]);
      expect(entries.rows).toHaveLength(operation.entries ?? 1);
      if (rows.length > 0) expect(entries.rows).toEqual(rows);
    }
  },
);

describe('a database that is too slow', () => {
  /** Runs `work` while this session locks these tables. */
  async function whileLocked<T>(statement: string, work: () => Promise<T>): Promise<T> {
    await admin.query('begin');
    await admin.query(statement);
    try {
      return await work();
    } finally {
      await admin.query('rollback');
    }
  }

  test('a read that takes longer than STATEMENT_TIMEOUT_MS is 503', async () => {
    const path = `/api/v2/workspaces/${tenant.workspace.id}/contacts`;
    const response = await whileLocked('lock table contacts', () => gateway.send(path, { caller }));
    await expectUnavailable(response);
    expect((await gateway.send(path, { caller })).status).toBe(200);
  });

  test('a removal that waits too long for the lock of its funnel is 503, and succeeds later', async () => {
    const { path, options } = split();
    const locked = `select from funnels where id = ${tenant.funnel.id} for update`;
    await expectUnavailable(await whileLocked(locked, () => gateway.send(path, options)));
    expect((await gateway.send(path, options)).status).toBe(204);
  });

  test('a request that takes longer than REQUEST_TIMEOUT_MS is 503 at that time', async () => {
    const config = parseConfig({ REQUEST_TIMEOUT_MS: '150' }, '/').config;
    const hasty = createCheckedServer({ ...gateway.app, config });
    const headers = { Authorization: caller.authorization ?? '' };
    const response = await whileLocked('lock table teams', () =>
      hasty.fetch(new Request('http://localhost/api/v2/teams', { headers })),
    );
    expect((await expectUnavailable(response)).detail).toBe('The request took too long.');
  });
});

test('concurrent requests whose connections are killed each get their own complete answer, or 503 with Retry-After', async () => {
  const { id } = tenant.workspace;
  await factories.contacts(gateway.app, id, 60);
  const requests = Array.from({ length: 60 }, (_, index) => {
    const size = 1 + Math.floor(index / 2);
    if (index % 2 === 0)
      return { path: `/api/v2/workspaces/${id}/contacts?per_page=${size}`, options: { caller } };
    const query = `query Page($id: BigInt!, $size: Int) { workspace(by: { databaseId: $id }) {
      contacts(first: $size) { edges { cursor node { id databaseId uuid createdAt } } }
      funnels(first: 3) { nodes { id steps { __typename id name } } } } }`;
    const body = JSON.stringify({ query, variables: { id: String(id), size } });
    const headers = { 'Content-Type': 'application/json' };
    return { path: '/graphql', options: { caller, method: 'POST', headers, body } };
  });
  const ask = async ({ path, options }: (typeof requests)[number]) => {
    const response = await gateway.send(path, options);
    return { status: response.status, text: await response.text() };
  };
  const expected: string[] = [];
  for (const request of requests) {
    const { status, text } = await ask(request);
    expect(status).toBe(200);
    expected.push(text);
  }
  expect(new Set(expected).size).toBe(requests.length);
  let whole = 0;
  for (let round = 0; round < 6; round++) {
    const answers = Promise.all(requests.map(ask));
    if (round % 2 === 1) await killBackends();
    for (const [index, { status, text }] of (await answers).entries()) {
      if (status !== 200) expect([status, text]).toEqual([503, expect.stringMatching(/unavailable/i)]);
      else if (!text.includes('"errors"')) {
        expect(text).toBe(expected[index]);
        whole += 1;
      }
    }
  }
  expect(whole).toBeGreaterThanOrEqual(3 * requests.length);
});
