// `serve` with the embedded database, from the first start on: one folder, one story.
import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { cloneTemplate } from '../support/gateway.ts';
import { nightly } from '../support/nightly.ts';
import {
  npmStart,
  npxServe,
  run,
  runJson,
  serve,
  start,
  stopServers,
  temporaryFolder,
  untilPrinted,
} from './cli.ts';

const shell = promisify(execFile);
let demoKey: string;
let demoPassword: string;

const folder = await temporaryFolder();
const dataDir = join(folder.path, 'data');
const env = { DATA_DIR: dataDir };
afterAll(async () => {
  await stopServers();
  await folder.remove();
});

async function statusOf(url: string, token: string): Promise<number> {
  return (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).status;
}

/** Whether PostgreSQL has its files open. */
async function isDatabaseUp(): Promise<boolean> {
  return stat(join(dataDir, 'postgres', 'postmaster.pid')).then(
    () => true,
    () => false,
  );
}

test('the first start prints addresses, a demo key, and a curl line that works when pasted', {
  timeout: 60_000,
}, async () => {
  const running = start(['serve'], env);
  const banner = await untilPrinted(running, 'Stop it');
  for (const path of ['/api/v2', '/graphql'])
    expect(banner).toMatch(new RegExp(`http://127\\.0\\.0\\.1:\\d+${path}`));
  expect(banner).toContain(join(dataDir, 'postgres'));
  demoKey = /fgw_\w+/.exec(banner)?.[0] ?? '';
  demoPassword = /ada@example\.com {2}\(password ([\w-]+)\)/.exec(banner)?.[1] ?? '';
  expect(demoPassword).toHaveLength(23);
  const line = banner.split('\n').find((text) => text.includes('curl ')) ?? '';
  const { stdout } = await shell('sh', ['-c', line]);
  expect(JSON.parse(stdout)).toHaveLength(2);

  running.child.kill('SIGINT');
  const { code, stderr } = await running.result;
  expect(code).toBe(0);
  expect(stderr).not.toContain('fgw_');
  expect(stderr).not.toContain(demoPassword);
  expect(await isDatabaseUp()).toBe(false);
});

test.each([
  ['demo-key', () => demoKey],
  ['demo-password', () => demoPassword],
])('the %s is kept where only its owner can read it', async (name, secret) => {
  const file = join(dataDir, name);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(dataDir)).mode & 0o007).toBe(0);
  expect((await readFile(file, 'utf8')).trim()).toBe(secret());
});

test('a second start shows the same key and password, adds nothing, and SIGTERM ends it with exit code 0', async () => {
  const server = await serve(env);
  expect(server).toMatchObject({ demoKey, demoEmail: 'ada@example.com', demoPassword });
  expect(server).toMatchObject({ dataDir: join(dataDir, 'postgres'), pid: server.child.pid });
  expect(await statusOf(`${server.rest}/teams`, demoKey)).toBe(200);
  expect(await runJson('token list'.split(' '), env)).toHaveLength(2);
  expect((await server.stop('SIGTERM')).code).toBe(0);
  expect(await isDatabaseUp()).toBe(false);
});

nightly('two servers share one data folder, and the database outlives the first to stop', async () => {
  const [first, second] = await Promise.all([serve(env), serve(env)]);
  expect(second.demoKey).toBe(first.demoKey);
  expect((await first.stop()).code).toBe(0);
  expect(await statusOf(`${second.rest}/teams`, demoKey)).toBe(200);
  expect((await second.stop()).code).toBe(0);
  expect(await isDatabaseUp()).toBe(false);
});

nightly('keys made, replaced and revoked beside a running server count at once', async () => {
  const server = await serve(env);
  const teams = `${server.rest}/teams`;
  const made = await runJson<{ id: number; token: string }>(
    ['token', 'create', '--team', '1', '--scopes', 'account:read'],
    env,
  );
  expect(await statusOf(teams, made.token)).toBe(200);
  const next = await runJson<{ id: number; token: string }>(['token', 'rotate', String(made.id)], env);
  expect(await statusOf(teams, made.token)).toBe(401);
  expect(await statusOf(teams, next.token)).toBe(200);
  await runJson(['token', 'revoke', String(next.id)], env);
  expect(await statusOf(teams, next.token)).toBe(401);
  await server.stop();
});

nightly('after SIGKILL, commands and the next start work, and the data is whole', async () => {
  const server = await serve(env);
  expect((await server.stop('SIGKILL')).code).toBeNull();
  expect(await runJson(['seed', '--contacts', '3', '--workspace', '3'], env)).toMatchObject({ contacts: 3 });
  const again = await serve(env);
  expect(again.demoKey).toBe(demoKey);
  expect((await again.stop()).code).toBe(0);
  expect(await isDatabaseUp()).toBe(false);
});

nightly('Ctrl-C that arrives twice at once, as under npm, still stops cleanly', async () => {
  const server = await serve(env);
  server.child.kill('SIGINT');
  expect((await server.stop('SIGINT')).code).toBe(0);
  expect(await isDatabaseUp()).toBe(false);
});

nightly(
  'SIGTERM to npm alone, as a service manager sends it, stops the server cleanly before npm ends',
  async () => {
    const running = npmStart(env);
    await untilPrinted(running, 'Stop it');
    running.child.kill('SIGTERM');
    expect((await running.result).code).toBe(0);
    expect(running.output.stderr).toContain('Stopping.');
    expect(await isDatabaseUp()).toBe(false);
  },
);

nightly(
  'what is kept of the demo survives that another database is tried, and each has its own',
  async () => {
    const database = await cloneTemplate();
    const other = { ...env, DATABASE_URL: database.url };
    const seeded = await runJson<{ demoKey: string }>(['seed'], other);
    for (const [each, key] of [
      [env, demoKey],
      [other, seeded.demoKey],
    ] as const) {
      const server = await serve(each);
      expect(server).toMatchObject({ demoKey: key, demoPassword: expect.any(String) });
      expect(await statusOf(`${server.rest}/teams`, key)).toBe(200);
      await server.stop();
    }
    await database.drop();
  },
);

nightly(
  'SIGTERM to npx alone stops the server and its database, though the shell in between does not hand it on',
  async () => {
    const running = npxServe(env);
    await untilPrinted(running, 'Stop it');
    running.child.kill('SIGTERM');
    // Ends when no process writes to its output any more: npx, its shell and the server.
    const { stderr } = await running.result;
    expect(stderr).toContain('Stopping.');
    expect(await isDatabaseUp()).toBe(false);
  },
);

nightly('a demo key that was revoked is not shown again, nor a password that was replaced', async () => {
  await run(['token', 'revoke', '1'], env);
  await run(['user', 'set-password', 'ada@example.com'], env);
  const running = start(['serve'], env);
  const banner = await untilPrinted(running, 'Stop it');
  expect(banner).not.toContain('fgw_');
  expect(banner).toContain('token create');
  expect(banner).not.toContain('ada@example.com');
  running.child.kill('SIGTERM');
  expect((await running.result).code).toBe(0);
});

nightly(
  'npm start leaves an empty store on a server of the user empty, and the banner says how to fill it',
  async () => {
    const database = await cloneTemplate();
    const own = { DATABASE_URL: database.url, DATA_DIR: join(folder.path, 'own') };
    const running = npmStart(own);
    const banner = await untilPrinted(running, 'Stop it');
    expect(banner).toContain('is put into a server of yours only when asked for');
    expect(banner).toContain('funnel-gateway seed');
    expect(banner).not.toMatch(/fgw_|password/);
    const { demoKey: seeded } = await runJson<{ demoKey: string }>(['seed'], own);
    running.child.kill('SIGTERM');
    expect((await running.result).code).toBe(0);

    const server = await serve(own);
    expect(server).toMatchObject({ demoKey: seeded, dataDir: null });
    expect((await server.stop()).code).toBe(0);
    await database.drop();
  },
);

nightly('--demo puts the demo into an empty store on a server of the user', async () => {
  const database = await cloneTemplate();
  const own = { DATABASE_URL: database.url, DATA_DIR: join(folder.path, 'asked') };
  const server = await serve(own, ['--demo']);
  expect(server).toMatchObject({ demoKey: expect.any(String), demoEmail: 'ada@example.com' });
  expect((await server.stop()).code).toBe(0);
  await database.drop();
});

test('a process is ready when the authorization server is loaded, and not before', async () => {
  const loaded = join(folder.path, 'loaded');
  // Records which of its parts have been read: the first one, and the last one.
  const hook = `import { registerHooks } from 'node:module';
    import { writeFileSync } from 'node:fs';
    registerHooks({ load(url, context, next) {
      if (/\\/src\\/oauth\\/(engine|registration)\\.ts$/.test(url)) writeFileSync(${JSON.stringify(loaded)}, url + '\\n', { flag: 'a' });
      return next(url, context);
    } });`;
  const options = `--import data:text/javascript,${encodeURIComponent(hook)}`;
  const database = await cloneTemplate();
  const own = { DATABASE_URL: database.url, DATA_DIR: join(folder.path, 'loading') };
  const server = await serve({ ...own, NODE_OPTIONS: options });
  const { status } = await fetch(new URL('/readyz', server.rest));
  const names = (await readFile(loaded, 'utf8')).trim().split('\n');
  expect([status, names.map((name) => name.split('/').at(-1))]).toEqual([
    200,
    ['engine.ts', 'registration.ts'],
  ]);
  await server.stop();
  await database.drop();
});
