// Ctrl-C while a command waits: it ends at once, with one sentence, and its unfinished work is rolled back.
import pg from 'pg';
import { afterAll, afterEach, expect, test } from 'vitest';
import { team, user } from '../support/factories.ts';
import { createGateway } from '../support/gateway.ts';
import { untilWaiting } from '../support/lock-waits.ts';
import { databaseUrlOf, start } from './cli.ts';

const gateway = await createGateway();
const env = { DATABASE_URL: databaseUrlOf(gateway) };
// Without the time limits that sessions of the gateway have.
const holder = new pg.Client({ connectionString: databaseUrlOf(gateway) });
await holder.connect();
afterEach(() => holder.query('rollback'));
afterAll(async () => {
  await holder.end();
  await gateway.close();
});

/** Lets a command wait for a table, and interrupts it. */
async function interrupt(table: string, args: readonly string[], signal: NodeJS.Signals = 'SIGINT') {
  await holder.query(`begin; lock table ${table}`);
  const running = start(args, env);
  await untilWaiting(gateway.app, 1);
  running.child.kill(signal);
  const result = await running.result;
  await untilWaiting(gateway.app, 0);
  return result;
}

const count = async (table: string) =>
  (await holder.query<{ count: number }>(`select count(*)::int from ${table}`)).rows[0]?.count;

const UNDONE = {
  code: 1,
  stdout: '',
  stderr: 'Interrupted. What was running was undone; start again.\n',
};

test('seed, while it waits for another process that adds a team', async () => {
  expect(await interrupt('teams', ['seed'])).toEqual(UNDONE);
  expect(await count('teams')).toBe(0);
});

test('serve before it listens, which stops as requested', async () => {
  expect(await interrupt('teams', ['serve', '--demo'], 'SIGTERM')).toEqual({ ...UNDONE, code: 0 });
});

test('a waiting change and a waiting list', async () => {
  const { id } = await team(gateway.app);
  const before = await count('api_keys');
  const create = ['token', 'create', '--team', String(id), '--scopes', 'read'];
  expect(await interrupt('api_keys', create)).toEqual(UNDONE);
  expect(await interrupt('api_keys', ['token', 'list'], 'SIGHUP')).toEqual(UNDONE);
  expect(await count('api_keys')).toBe(before);
});

test('a change of several transactions, of which the first remains', async () => {
  const { id } = await user(gateway.app);
  expect(await interrupt('oauth_grants', ['user', 'disable', String(id)])).toEqual(UNDONE);
  expect(await count(`users where id = ${id} and disabled_at is not null`)).toBe(1);
});

test('a waiting bulk insert of contacts', async () => {
  await team(gateway.app);
  await gateway.app.store.pool.query(
    `insert into workspaces (team_id, name, subdomain) select min(id), 'Shop', 'shop' from teams`,
  );
  const { code, stderr } = await interrupt('contacts', ['seed', '--contacts', '1000']);
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/Interrupted: 0 of 1,000 contacts were added/),
  });
  expect(await count('contacts')).toBe(0);
});

test('waiting for a password', async () => {
  const args = ['user', 'create', '--email', 'ada@example.com', '--name', 'Ada', '--password-stdin'];
  const running = start(args, env, '/', null);
  // It reads standard input after it has checked the tables.
  const asked = () =>
    gateway.app.store.pool.query(
      `select from pg_stat_activity where datname = current_database() and state = 'idle' and query like '%_prisma_migrations%' and pid <> pg_backend_pid()`,
    );
  while ((await asked()).rowCount === 0);
  running.child.kill('SIGINT');
  expect(await running.result).toEqual(UNDONE);
  expect(await count("users where email = 'ada@example.com'")).toBe(0);
});
