// The processes that deliver webhooks: `work`, and `serve` unless JOBS=off.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKeyring } from '../../src/auth/keyring.ts';
import { verify } from '../../src/jobs/delivery/signatures.ts';
import { apiKey, WEBHOOK_SECRET, webhookEndpoint, workspace } from '../support/factories.ts';
import { createGateway, type Gateway } from '../support/gateway.ts';
import { createReceiver, type Receiver } from '../support/webhook-receiver.ts';
import { databaseUrlOf, type Env, run, serve, start, stopServers, untilPrinted } from './cli.ts';

const SECRET_KEY = 'a secret key that both processes have';
const keyring = createKeyring(() => [SECRET_KEY]);
let gateway: Gateway;
let receiver: Receiver;
let env: Env;
let create: (name: string) => Promise<void>;

beforeAll(async () => {
  [gateway, receiver] = [await createGateway({ overrides: { keyring } }), await createReceiver()];
  env = {
    DATABASE_URL: databaseUrlOf(gateway),
    ...{ SECRET_KEY, WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8', DATA_DIR: '/dev/null/data' },
  };
  const { id: workspaceId, teamId } = await workspace(gateway.app);
  const caller = await apiKey(gateway.app, { teamId });
  await webhookEndpoint(gateway.app, { workspaceId, url: receiver.url, eventTypeIds: ['contact.created'] });
  create = async (name) => {
    await gateway.send(`/api/v2/workspaces/${workspaceId}/contacts`, {
      ...{ caller, method: 'POST', headers: { 'Content-Type': 'application/json' } },
      body: JSON.stringify({ contact: { email_address: `${name}@example.com` } }),
    });
  };
});
afterAll(async () => {
  await stopServers();
  await receiver.close();
  await gateway.close();
});

const names = () => receiver.received.map(({ payload }) => payload.data['email_address']);

test('serve with JOBS=off delivers nothing, work delivers what is due, and SIGTERM ends it', async () => {
  await serve({ ...env, JOBS: 'off' });
  await create('ann');
  const working = start(['work', '--json'], { ...env, METRICS_PORT: '0' });
  const { pid, metricsPort } = JSON.parse(await untilPrinted(working, '\n'));
  expect(pid).toBe(working.child.pid);
  await expect.poll(names, { timeout: 60_000 }).toEqual(['ann@example.com']);
  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  await expect
    .poll(metrics, { timeout: 60_000 })
    .toContain('gateway_webhook_attempts_total{outcome="delivered"} 1');
  working.child.kill('SIGTERM');
  expect(await working.result).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^\{"level":"info",[^\n]*"msg":"started"\}\n$/),
  });
});

test('serve delivers with the configured headers, and a stop releases its deliveries', async () => {
  const server = await serve({ ...env, WEBHOOK_HEADER_PREFIX: 'X-Acme' });
  await create('bob');
  await expect.poll(() => names().at(-1), { timeout: 60_000 }).toBe('bob@example.com');
  const { headers = {}, body = '' } = receiver.received.at(-1) ?? {};
  const checked = { headers, body: Buffer.from(body), secret: WEBHOOK_SECRET, now: new Date() };
  expect(verify({ ...checked, prefix: 'X-Acme' })).toMatchObject({ prefixed: 'valid', standard: 'valid' });
  expect(Object.keys(headers).filter((name) => name.includes('clickfunnels'))).toEqual([]);
  expect((await server.stop()).code).toBe(0);
  const { rowCount } = await gateway.app.store.pool.query(
    'select from webhook_leases where holder is not null',
  );
  expect(rowCount).toBe(0);
});

test('serve --no-migrate delivers once the store is up to date', async () => {
  const { pool } = gateway.app.store;
  // As the store of the previous version, which another process migrates.
  const { rows } = await pool.query(`delete from _prisma_migrations where migration_name = (
    select max(migration_name) from _prisma_migrations) returning *`);
  const server = await serve(env, ['--no-migrate']);
  try {
    await create('cy');
    await expect
      .poll(async () => (await fetch(`${server.rest.replace('/api/v2', '')}/readyz`)).status)
      .toBe(503);
    await pool.query(
      'insert into _prisma_migrations select * from json_populate_recordset(null::_prisma_migrations, $1)',
      [JSON.stringify(rows)],
    );
    await expect.poll(() => names().at(-1), { timeout: 60_000 }).toBe('cy@example.com');
  } finally {
    await server.stop();
  }
});

test('work waits for an unreachable database, and can be stopped meanwhile', async () => {
  const waiting = start(['work'], { ...env, DATABASE_URL: 'postgresql://a:s3cret@127.0.0.1:9/x' });
  const waitingFor = new Promise<void>((resolve) => {
    waiting.child.stderr?.on('data', () => {
      if (waiting.output.stderr.includes('Waiting for it.')) resolve();
    });
  });
  await waitingFor;
  waiting.child.kill('SIGTERM');
  const { code, stderr } = await waiting.result;
  expect(code).toBe(0);
  expect(stderr).toContain('No PostgreSQL server answers at 127.0.0.1:9/x');
  expect(stderr).not.toContain('s3cret');
});

test('work does not wait if the configuration is invalid', async () => {
  const { code, stderr } = await run(['work'], { ...env, SECRET_KEY: 'short' });
  expect(code).toBe(1);
  expect(stderr).toContain('SECRET_KEY must be at least 32 characters');
});

test('work explains its purpose', async () => {
  const { stdout } = await run(['work', '--help'], {});
  expect(stdout).toContain('JOBS=off');
});
