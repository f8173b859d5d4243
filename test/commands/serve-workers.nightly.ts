// `serve --workers`: from outside one gateway, whatever becomes of its processes.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneTemplate } from '../support/gateway.ts';
import { type Env, run, runHere, type Server, serve, stopServers, temporaryFolder } from './cli.ts';

const DAY_SECONDS = 86_400;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let database: Awaited<ReturnType<typeof cloneTemplate>>;
let env: Env;

beforeAll(async () => {
  [folder, database] = await Promise.all([temporaryFolder(), cloneTemplate()]);
  env = { DATA_DIR: folder.path, DATABASE_URL: database.url };
});
afterAll(async () => {
  await stopServers();
  await database.drop();
  await folder.remove();
});

const serveTwo = (more: Env = {}) => serve({ ...env, ...more }, ['--demo', '--workers', '2']);

/** The processes that a server has started. */
async function workersOf({ pid }: Server): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

/** A request on a connection of its own. */
async function statusOf({ rest, demoKey }: Server): Promise<number> {
  const headers = { Authorization: `Bearer ${demoKey}`, Connection: 'close' };
  return (await fetch(`${rest}/teams`, { headers })).status;
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await sleep(50);
}

const isGone = async (pid: number) => {
  try {
    // Of a process that nobody waits for there is a rest, without a command line.
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')) === '';
  } catch {
    return true;
  }
};

/** The sum of a metric's samples, of those alone that have a label with this value where one is given. */
async function counted(metrics: string, name: string, label?: string): Promise<number> {
  const text = await (await fetch(metrics)).text();
  const labels = label === undefined ? '(?:\\{.*\\})?' : `\\{[^}]*="${label}"[^}]*\\}`;
  return [...text.matchAll(new RegExp(`^${name}${labels} (\\S+)$`, 'gm'))].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  );
}

test('one banner, one limit, one sum of metrics, also when a process is killed, and one end', async () => {
  const server = await serveTwo({
    ...{ RATE_LIMIT_KEY: '60', RATE_LIMIT_WINDOW_SECONDS: '3600', METRICS_PORT: '0', JOBS: 'off' },
  });
  const { metrics = '' } = server as unknown as { metrics?: string };
  expect(server).toMatchObject({ pid: server.child.pid, workers: 2 });
  const before = await workersOf(server);
  expect(before).toHaveLength(2);

  const statuses: number[] = [];
  const ask = async () => {
    for (let i = 0; i < 15; i++) statuses.push(await statusOf(server));
  };
  await Promise.all(Array.from({ length: 10 }, ask));
  const refused = statuses.filter((status) => status === 429).length;
  // Each of the two counts for some milliseconds without knowing what the other counts.
  expect(refused).toBeLessThanOrEqual(90);
  expect(refused).toBeGreaterThanOrEqual(30);
  expect(statuses.filter((status) => status === 200)).toHaveLength(150 - refused);
  expect(await counted(metrics, 'http_requests_total')).toBe(150);
  expect(await counted(metrics, 'gateway_rate_limited_total')).toBe(refused);
  // The sum of both.
  expect(await counted(metrics, 'gateway_requests_limit')).toBe(256);
  // Once for the gateway partitions are kept, by the first of them.
  const partitions = () => counted(metrics, 'gateway_partitions_ahead_seconds');
  await expect.poll(partitions, { timeout: 60_000 }).toBeGreaterThan(0);
  const ahead = await partitions();
  // A week, and less than one more, for each table of short ranges; the sum of two workers would have two.
  expect(await counted(metrics, 'gateway_partitions_ahead_seconds', 'events')).toBeLessThan(14 * DAY_SECONDS);

  process.kill(before[0] ?? 0, 'SIGKILL');
  await until(async () => {
    const now = await workersOf(server);
    return now.length === 2 && !now.includes(before[0] ?? 0);
  });
  // What the killed one had counted is not lost: neither for the limit, which its successor hears of, nor in the sum.
  let asked = 0;
  await until(async () => ++asked > 0 && (await statusOf(server)) === 429);
  expect(await counted(metrics, 'http_requests_total')).toBe(150 + asked);
  await expect.poll(partitions, { timeout: 60_000 }).toBeGreaterThan(0);
  expect(await partitions()).toBeLessThanOrEqual(ahead);
  expect(await counted(metrics, 'gateway_partitions_ahead_seconds', 'events')).toBeLessThan(14 * DAY_SECONDS);

  const all = await workersOf(server);
  const { code, stdout, stderr } = await server.stop();
  expect(code).toBe(0);
  expect(stdout.trim().split('\n')).toHaveLength(1);
  expect(stderr).toContain('a worker has ended: it is replaced');
  expect(await Promise.all(all.map(isGone))).toEqual([true, true]);
});

test('Ctrl-C, which a terminal sends to all processes, ends it cleanly', async () => {
  const server = await serveTwo();
  const all = await workersOf(server);
  for (const pid of all) process.kill(pid, 'SIGINT');
  // A second one later than that would end a process at once, if it were meant for it.
  await sleep(600);
  for (const pid of all) process.kill(pid, 'SIGINT');
  expect(await statusOf(server)).toBe(200);
  expect(await server.stop('SIGINT')).toMatchObject({ code: 0, stderr: '' });
});

test('a request that a worker has begun to read is answered before the end', async () => {
  const server = await serveTwo();
  const body = '{"query":"{ viewer { kind } }"}';
  const headers = {
    ...{ Authorization: `Bearer ${server.demoKey}`, 'Content-Type': 'application/json' },
    ...{ 'Content-Length': body.length, Expect: '100-continue' },
  };
  const sent = request(server.graphql, { method: 'POST', headers, agent: false });
  const answered = once(sent, 'response');
  sent.flushHeaders();
  await once(sent, 'continue');
  const stopped = server.stop();
  await until(() =>
    statusOf(server).then(
      () => false,
      () => true,
    ),
  );
  sent.end(body);
  const [response] = (await answered) as [IncomingMessage];
  response.resume();
  expect(response.statusCode).toBe(200);
  expect(await stopped).toMatchObject({ code: 0, stderr: '' });
});

test('no process outlives a primary that is killed', async () => {
  const server = await serveTwo();
  const all = await workersOf(server);
  await server.stop('SIGKILL');
  for (const pid of all) await until(() => isGone(pid));
});

test('a second signal ends all of it at once', async () => {
  const server = await serveTwo({ SHUTDOWN_DELAY_MS: '600000' });
  const all = await workersOf(server);
  server.child.kill('SIGTERM');
  // The first one is taken for sent twice for half a second.
  await until(async () => (await fetch(new URL('/readyz', server.rest))).status === 503);
  await sleep(600);
  expect((await server.stop('SIGTERM')).code).toBe(143);
  for (const pid of all) await until(() => isGone(pid));
});

test('workers that end again and again before they serve end the command, with a sentence', async () => {
  const dies = 'data:text/javascript,if(process.send)process.exit(7)';
  const { code, stdout, stderr } = await run(['serve', '--workers', '2'], {
    ...env,
    NODE_OPTIONS: `--import=${dies}`,
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^A worker has ended 5 times before it could serve/);
});

test.each([
  [{ POOL_SIZE: '3' }, /^POOL_SIZE is 3, .* 2 workers.* POOL_SIZE to 4 or more, or use 1 workers at most\.$/],
  [{ MAX_UNDER_WAY: '1' }, /^MAX_UNDER_WAY is 1/],
  [{ WORKERS: '9', POOL_SIZE: '1000' }, /^9 workers open up to \d+ connections, and PostgreSQL allows \d+/],
])('%j is refused before anything is started', async (more, sentence) => {
  const { code, stdout, stderr } = await runHere(
    ['serve', ...('WORKERS' in more ? [] : ['--workers', '2'])],
    {
      ...env,
      ...more,
    },
  );
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trimEnd()).toMatch(sentence);
});

test('a port that is in use is said in one sentence', async () => {
  const taken = createServer(() => {}).listen(0, '127.0.0.1');
  await new Promise((done) => taken.once('listening', done));
  const address = taken.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const { code, stderr } = await run(['serve', '--workers', '2'], { ...env, PORT: String(port) });
  expect(code).toBe(1);
  expect(stderr.trimEnd()).toBe(
    `Port ${port} on 127.0.0.1 is in use. Stop what uses it, or choose another with PORT=...`,
  );
  taken.close();
});

test('a number of workers that is none is wrong usage', async () => {
  for (const number of ['0', '65', 'many']) {
    const { code, stderr } = await runHere(['serve', '--workers', number], env);
    expect(code).toBe(2);
    expect(stderr).toContain('It must be a whole number from 1 to 64.');
  }
});

/** A gateway one of whose processes has ended, while the system starts none: it has no file handle left for that. */
async function serveAlone(): Promise<{ server: Server; relent(): Promise<unknown> }> {
  const server = await serveTwo();
  const limit = (files: number) =>
    promisify(execFile)('prlimit', ['--pid', String(server.pid), `--nofile=${files}:`]);
  const [first = 0] = await workersOf(server);
  await limit(3);
  process.kill(first, 'SIGKILL');
  await until(async () => server.output.stderr.includes('EMFILE'));
  return { server, relent: () => limit(1_000) };
}

test('a process that could not be started is started as soon as it can be', async () => {
  const { server, relent } = await serveAlone();
  expect(await statusOf(server)).toBe(200);
  await relent();
  await until(async () => (await workersOf(server)).length === 2);
  expect((await server.stop()).code).toBe(0);
});

test('SIGTERM ends a gateway that lacks a process', async () => {
  const { server } = await serveAlone();
  expect((await server.stop()).code).toBe(0);
});
