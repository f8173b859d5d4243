// `serve` on a server whose own settings would change dates.
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { cloneTemplate } from '../support/gateway.ts';
import { run, serve, stopServers, temporaryFolder } from './cli.ts';

const [database, folder] = await Promise.all([cloneTemplate(), temporaryFolder()]);
const client = new pg.Client({ connectionString: database.url });
await client.connect();
afterAll(async () => {
  await stopServers();
  await client.end();
  await Promise.all([database.drop(), folder.remove()]);
});

const env = { DATABASE_URL: database.url, DATA_DIR: folder.path };

test('`serve` sets them and works in UTC; with --no-migrate it refuses to start', async () => {
  const name = new URL(database.url).pathname.slice(1);
  await client.query(`alter role funnel_gateway in database ${name} reset all;
    alter database ${name} set timezone = 'America/New_York'; alter database ${name} set datestyle = 'German'`);
  const refused = await run(['serve', '--no-migrate'], env);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`in database ${name} set datestyle = 'ISO';`);
  const served = await serve(env, ['--demo']);
  const headers = { Authorization: `Bearer ${served.demoKey}` };
  const teams = (await (await fetch(`${served.rest}/teams`, { headers })).json()) as { id: number }[];
  const answer = await fetch(`${served.rest}/teams/${teams[0]?.id}/workspaces?sort_property=updated_at`, {
    headers,
  });
  expect(answer.status).toBe(200);
  const [workspace] = (await answer.json()) as { id: number; updated_at: string }[];
  const { rows } = await client.query(
    'select (extract(epoch from updated_at) * 1000)::float8 as at from workspaces where id = $1',
    [workspace?.id],
  );
  expect(new Date(rows[0].at).toISOString()).toBe(workspace?.updated_at);
  await served.stop();
});
