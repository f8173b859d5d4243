// The answer to a request whose deadline passes during a change is true (src/store/changing/transactions.ts).
import { afterAll, describe, expect, test, vi } from 'vitest';
import { subjectTypeOf } from '../../src/resources/description/names.ts';
import { webhookEndpoint } from '../../src/resources/webhook-endpoints.ts';
import * as factories from '../support/factories.ts';
import { createGateway } from '../support/gateway.ts';
import { post } from '../support/graphql.ts';
import { holdUp } from '../support/graphql-statements.ts';
import { CHANGEABLE, digest } from '../support/hostile.ts';
import { sampleAt } from '../support/nightly.ts';
import { createTenant, requestOf, UNSAFE } from '../support/operations.ts';
import { prismaOf } from '../support/prisma.ts';
import { expectProblem } from '../support/problem.ts';
import { type Built, build, readPlan } from '../support/removals.ts';
import { createObserver } from '../support/statements.ts';

const DEADLINE_MS = 1_500;
const UNCHANGED = 'The request took too long. Nothing was changed.';
const PLANS = ['A', { split: 'S', matched: ['M'], unmatched: ['U'] }, 'Z'];
/** A commit waits while another session holds this lock. */
const COMMIT_LOCK = 4711;
const holdCommits = `select pg_advisory_xact_lock(${COMMIT_LOCK})`;

const gateway = await createGateway({
  env: { REQUEST_TIMEOUT_MS: String(DEADLINE_MS), LOOKUP_CACHE_MS: '60000' },
});
const observer = await createObserver(gateway);
const { id, teamId } = await factories.workspace(gateway.app);
const workspaceId = id;
const caller = await factories.apiKey(gateway.app, { teamId });
await gateway.app.store.pool.query(`
  create function wait_at_commit() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock_shared(${COMMIT_LOCK}); return null; end $$;
  create constraint trigger wait_at_commit after update on funnel_steps deferrable initially deferred
    for each row execute function wait_at_commit()`);
afterAll(async () => {
  await observer.close();
  await gateway.close();
});

const pathOf = ({ funnel, step }: Built) =>
  `/api/v2/funnels/${funnel.id}/conditional_split_steps/${step('S').id}?branch=matched`;
const remove = (built: Built) => gateway.send(pathOf(built), { caller, method: 'DELETE' });
const lockOf = ({ funnel }: Built) => `select from funnels where id = ${funnel.id} for update`;
const globalId = (type: string, id: bigint) => Buffer.from(`${type}:${id}`).toString('base64');
const mutation = ({ step }: Built) => `removeConditionalSplit(input: {
  conditionalSplitId: "${globalId('ConditionalSplit', step('S').id)}" branch: MATCHED }) { promotedPages { name } }`;
const untilQuiet = () =>
  vi.waitFor(async () => expect(await observer.underWay()).toEqual([]), { timeout: 60_000, interval: 20 });

describe('while a removal waits for its funnel', () => {
  test('REST: 503 says that nothing was changed, and the same removal succeeds afterwards', async () => {
    const built = await build(gateway, workspaceId, PLANS);
    const response = await observer.whileLocked(lockOf(built), () => remove(built));
    expect(response.headers.get('Retry-After')).toBe('5');
    expect((await expectProblem(response, 'unavailable')).detail).toBe(UNCHANGED);
    await untilQuiet();
    expect(await readPlan(gateway, caller, built)).toEqual(PLANS);
    expect((await remove(built)).status).toBe(204);
    expect(await readPlan(gateway, caller, built)).toEqual(['A', 'U', 'Z']);
  });

  test('GraphQL: the same', async () => {
    const built = await build(gateway, workspaceId, PLANS);
    const query = `mutation { ${mutation(built)} }`;
    const answer = await observer.whileLocked(lockOf(built), () => post(gateway, { query }, { caller }));
    expect(answer.response.status).toBe(503);
    expect(answer.errors).toMatchObject([{ message: UNCHANGED, extensions: { code: 'UNAVAILABLE' } }]);
    await untilQuiet();
    expect(await readPlan(gateway, caller, built)).toEqual(PLANS);
  });

  test('GraphQL after an earlier removal in the same operation: the answer has the removal that was made, and an error for the other', async () => {
    const [done, stuck, after] = await Promise.all([1, 2, 3].map(() => build(gateway, workspaceId, PLANS)));
    if (!done || !stuck || !after) throw new Error('not built');
    const query = `mutation { done: ${mutation(done)} stuck: ${mutation(stuck)} after: ${mutation(after)} }`;
    const { data, errors } = await observer.whileLocked(lockOf(stuck), () =>
      post(gateway, { query }, { caller }),
    );
    expect(data).toEqual({ done: { promotedPages: [{ name: 'U' }] }, stuck: null, after: null });
    expect(errors?.map(({ path }) => path)).toEqual([['stuck'], ['after']]);
    for (const error of errors ?? []) expect(error.message).toBe(UNCHANGED);
    await untilQuiet();
    expect(await readPlan(gateway, caller, done)).toEqual(['A', 'U', 'Z']);
    expect(await readPlan(gateway, caller, stuck)).toEqual(PLANS);
    expect(await readPlan(gateway, caller, after)).toEqual(PLANS);
  });
});

describe('while another change waits for its row', () => {
  const subjectType = subjectTypeOf(webhookEndpoint);
  const trailOf = (subjectId: bigint) =>
    prismaOf(gateway.app.store).auditEntry.count({ where: { workspaceId, subjectType, subjectId } });

  test.each([
    ['of fields', 'PATCH', '', { name: 'New' }],
    ['in steps', 'POST', '/deactivate', undefined],
  ])('%s: nothing of it is made afterwards, nor is its key taken', async (_, method, path, body) => {
    const { id: endpointId } = await factories.webhookEndpoint(gateway.app, { workspaceId });
    const at = `/api/v2/webhooks/outgoing/endpoints/${endpointId}`;
    const change = () =>
      gateway.send(`${at}${path}`, {
        ...{ caller, method, ...(body && { body: JSON.stringify(body) }) },
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `${method}-${endpointId}` },
      });
    const read = async () => (await gateway.send(at, { caller })).json();
    const before = await read();
    const response = await observer.whileLocked(
      `select from webhook_endpoints where id = ${endpointId} for update`,
      change,
    );
    expect((await expectProblem(response, 'unavailable')).detail).toBe(UNCHANGED);
    await untilQuiet();
    expect(await read()).toEqual(before);
    expect(await trailOf(endpointId)).toBe(0);
    expect((await change()).status).toBe(200);
    expect(await read()).not.toEqual(before);
    expect(await trailOf(endpointId)).toBe(1);
  });
});

test('a change that waits for its idempotency record is not made afterwards, and its key stays free', async () => {
  const tenant = await createTenant(gateway.app, 'late');
  const by = await factories.apiKey(gateway.app, { teamId: tenant.team.id });
  expect((await gateway.send('/api/v2/me', { caller: by })).status).toBe(200);
  const before = await digest(gateway, CHANGEABLE, tenant.team.id);
  const answers = await observer.whileLocked('lock table audit_entries, events, idempotency_records', () =>
    Promise.all(
      sampleAt('late', UNSAFE, 12).map((operation, index) => {
        const { headers, ...request } = requestOf(operation, tenant);
        const key = { 'Idempotency-Key': `late-${index}` };
        return gateway.send(operation.path(tenant), {
          ...{ caller: by, ...request },
          headers: { ...headers, ...key },
        });
      }),
    ),
  );
  for (const answer of answers) expect((await expectProblem(answer, 'unavailable')).detail).toBe(UNCHANGED);
  await untilQuiet();
  expect(await digest(gateway, CHANGEABLE, tenant.team.id)).toEqual(before);
});

describe('while a removal is being committed', () => {
  test('the response waits a short time for the outcome, and reports it', async () => {
    const built = await build(gateway, workspaceId, PLANS);
    let answer: Promise<Response> | undefined;
    await observer.whileLocked(holdCommits, async () => {
      answer = remove(built);
      await vi.waitFor(
        async () => expect(await observer.underWay()).toEqual([expect.stringMatching(/^commit$/i)]),
        { timeout: 1_400 },
      );
      // The deadline passes during the commit: time itself is tested.
      await new Promise((resolve) => setTimeout(resolve, DEADLINE_MS));
    });
    expect((await answer)?.status).toBe(204);
    expect(await readPlan(gateway, caller, built)).toEqual(['A', 'U', 'Z']);
  });

  test('without an outcome in that time, 503 says that the outcome is unknown', async () => {
    let built: Built;
    let detail: string;
    // On a busy machine the deadline may pass before the commit is sent: then nothing was changed, and another one is removed.
    do {
      built = await build(gateway, workspaceId, PLANS);
      const removing = built;
      const response = await observer.whileLocked(holdCommits, () => remove(removing));
      ({ detail } = await expectProblem(response, 'unavailable'));
      await untilQuiet();
    } while (detail === UNCHANGED);
    expect(detail).toMatch(/may have been made/);
    expect(await readPlan(gateway, caller, built)).toEqual(['A', 'U', 'Z']);
  });
});

test('a read that exceeds its deadline does not mention changes', async () => {
  const path = `/api/v2/workspaces/${workspaceId}/contacts`;
  const response = await observer.whileLocked('lock table contacts', () => gateway.send(path, { caller }));
  expect((await expectProblem(response, 'unavailable')).detail).toBe('The request took too long.');
});

test('a count that exceeds its deadline releases its slot, waiting or running: PostgreSQL cancels it', async () => {
  const { expensive } = gateway.app.store;
  const query = `{ workspace(by: { databaseId: ${workspaceId} }) { contacts { totalCount } } }`;
  const send = holdUp(gateway, 'contacts.count_one');
  const asked = [1, 2].map(() => post(gateway, { query }, { caller }));
  await vi.waitFor(() => expect([expensive.running, expensive.waiting]).toEqual([1, 1]), { timeout: 60_000 });
  await observer.whileLocked('lock table contacts', async () => {
    send();
    for (const { response } of await Promise.all(asked)) expect(response.status).toBe(503);
    await untilQuiet();
    // PostgreSQL is idle before its answer has been read here.
    await vi.waitFor(
      () => expect([expensive.running, expensive.waiting, expensive.keys]).toEqual([0, 0, 0]),
      60_000,
    );
  });
});
