// An error of PostgreSQL has the name of the failed statement, and a stack that leads to our function that sent it: also in a batch,
// whose error arrives long after that function has returned to the event loop.
import { expect, test } from 'vitest';
import { executeUnrecorded } from '../../src/store/changing/changes.ts';
import { queryAs } from '../../src/store/changing/pipeline.ts';
import { withModels } from '../../src/store/changing/transactions.ts';
import { executorOf, inTransaction } from '../../src/store/connections/executor.ts';
import { query } from '../../src/store/store.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { createTenant } from '../support/operations.ts';
import { createRestClient } from '../support/rest-client.ts';

const gateway = await ownGateway();
const { app } = gateway;
const { store } = app;
const { team } = await createTenant(app, 'failed statements');
const as = { teamId: team.id, workspaceIds: null };

const FAILING = { name: 'made_up.failing', text: 'select 1 / $1::int as quotient' };

async function causeOf(failing: Promise<unknown>): Promise<Error & { statement?: string; code?: string }> {
  const error = await failing.then(
    () => new Error('Nothing failed'),
    (thrown: unknown) => thrown as Error,
  );
  expect(error).toMatchObject({ code: '22012' });
  return error;
}

const WAYS: Record<string, () => Promise<unknown>> = {
  async 'one statement'() {
    async function callingFunction() {
      await query(store, FAILING, [0]);
    }
    await callingFunction();
  },
  async 'one statement for a caller'() {
    async function callingFunction() {
      await queryAs(store, as, FAILING, [0]);
    }
    await callingFunction();
  },
  async 'a read'() {
    async function callingFunction() {
      await store.readers.read(FAILING, [0]);
    }
    await callingFunction();
  },
  async 'a read that may scan many rows'() {
    async function callingFunction() {
      await store.scans.read(FAILING, [0], team.id, new AbortController().signal);
    }
    await callingFunction();
  },
};

test.each(Object.entries(WAYS))('%s', async (_way, run) => {
  const error = await causeOf(run());
  expect(error.statement).toBe('made_up.failing');
  expect(error.stack).toMatch(/^error: division by zero\n(?:.*\n)*.*callingFunction/);
});

const UNNAMED: Record<string, () => Promise<unknown>> = {
  'one of several that are sent together': () =>
    executeUnrecorded(app, as, async (tx) => {
      async function callingFunction() {
        await Promise.all([
          tx.$queryRawUnsafe('select 1'),
          tx.$queryRawUnsafe(FAILING.text, 0),
          tx.$queryRawUnsafe('select 2 as behind_it'),
        ]);
      }
      await callingFunction();
    }),
  'one that is sent with those before it, whose answers come first': () =>
    executeUnrecorded(app, as, async (tx) => {
      async function callingFunction() {
        const first = tx.$queryRawUnsafe('select 1');
        const second = tx.$queryRawUnsafe(FAILING.text, 0);
        await first;
        await second;
      }
      await callingFunction();
    }),
  'one that nothing awaits, by the statement behind it': () =>
    executeUnrecorded(app, as, async (tx) => {
      async function callingFunction() {
        void tx.$queryRawUnsafe(FAILING.text, 0);
        await tx.$queryRawUnsafe('select 2 as behind_it');
      }
      await callingFunction();
    }),
  'one of a transaction over the pool': () =>
    inTransaction(store.pool, async (tx) => {
      async function callingFunction() {
        await tx.$queryRawUnsafe(FAILING.text, 0);
      }
      await callingFunction();
    }),
  async 'one over any connection'() {
    async function callingFunction() {
      await executorOf(store.pool).$queryRawUnsafe(FAILING.text, 0);
    }
    await callingFunction();
  },
};

test.each(Object.entries(UNNAMED))('without a name: %s', async (_way, run) => {
  const error = await causeOf(run());
  expect(error.statement).toBe('select 1 / $1::int as quotient');
  expect(error.stack).toMatch(/^error: division by zero\n(?:.*\n)*.*callingFunction/);
});

test("Prisma's errors have the model, and a stack that leads to the caller", async () => {
  const id = (await factories.workspace(app, { teamId: team.id })).id;
  async function callingFunction() {
    await withModels(
      app,
      as,
      ({ tx }) => tx.workspace.update({ where: { id }, data: { name: null as never } }),
      null,
    );
  }
  const error: Error = await callingFunction().then(
    () => new Error('Nothing failed'),
    (thrown: unknown) => thrown as Error,
  );
  expect(error.stack).toMatch(/tx\.workspace\.update\(\)|workspace\.update/);
});

test('the log of a request that failed has the name of the statement', async () => {
  const client = await createRestClient(gateway);
  const before = gateway.logLines.length;
  await store.pool.query(
    `create function made_up_failure() returns trigger language plpgsql as 'begin perform 1 / 0; end'`,
  );
  await store.pool.query(`create trigger made_up_failure before insert or update on contacts for each row
    when (new.first_name = 'fails') execute function made_up_failure()`);
  const path = `/api/v2/workspaces/${client.workspaceId}/contacts`;
  const made = JSON.parse(
    (await client.send('POST', path, { contact: { email_address: 'a@example.com' } })).text,
  );
  const changes = { contact: { first_name: 'fails' } };
  const change = await client.send('PATCH', `/api/v2/contacts/${made.id}`, changes);
  const creation = await client.send('POST', path, {
    contact: { email_address: 'b@example.com', first_name: 'fails' },
  });
  expect([change.status, creation.status]).toEqual([500, 500]);
  const lines = gateway.logLines.slice(before).map((line) => JSON.parse(line));
  const errors = lines.flatMap(({ err }) => (err === undefined ? [] : [err]));
  expect(errors).toMatchObject([
    { statement: 'contacts.update', stack: expect.stringMatching(/\bupdate \([^)]*steps\.ts/) },
    { statement: 'contacts.created_recorded', stack: expect.stringMatching(/\bcreate \([^)]*steps\.ts/) },
  ]);
});
