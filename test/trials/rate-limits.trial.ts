// What rate limits cost and hold: processor time a request, the memory of very many addresses, and two gateways that share one limit over a
// Redis that is frozen, killed and started again. It needs `redis-server` (Debian: apt-get install redis-server); without it that part is left out.
//
// `npm run trial -- rate-limits 10 3000 100000 1`: rounds, requests a round, addresses (0: not that part), and 0 for a run without Redis.
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { startRedis } from './faults/redis.ts';
import { type GatewayProcess, startGateway } from './gateway-process.ts';
import { say } from './say.ts';
import { quantile, report, type TestBed, withTestBed } from './test-bed.ts';

const [rounds = 10, perRound = 3_000, addresses = 100_000, redisPart = 1] = process.argv.slice(3).map(Number);
const AT_ONCE = 16;
const MAX_COST = 0.03;
const MAX_GROWTH_MIB = 64;
/** While Redis is silent, one request waits for it, and the machine is busy. */
const MAX_WAIT_MS = 250;
const SHARED_LIMIT = 400;
const SECRET_KEY = 'a secret key for trials and of no use to anybody';
const OFF = { RATE_LIMIT_KEY: '0', RATE_LIMIT_CLIENT: '0', RATE_LIMIT_TEAM: '0', RATE_LIMIT_ADDRESS: '0' };

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface Sent {
  readonly status: number;
  readonly ms: number;
}

function send(url: string, headers: Record<string, string>): Promise<Sent> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    request(url, { agent, headers }, (response) => {
      response
        .resume()
        .on('end', () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - startedAt }));
    })
      .on('error', reject)
      .end();
  });
}

/** Sends so many requests, some at a time. */
async function sendMany(count: number, one: (i: number) => Promise<Sent>): Promise<Sent[]> {
  const all: Sent[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) all.push(await one(next++));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return all;
}

/** Time on a processor of all threads of the process, without its PostgreSQL, in milliseconds (/proc/PID/task/TID/schedstat). */
async function processorMs({ child }: GatewayProcess): Promise<number> {
  const tasks = await readdir(`/proc/${child.pid}/task`);
  const texts = await Promise.all(
    tasks.map((id) => readFile(`/proc/${child.pid}/task/${id}/schedstat`, 'utf8')),
  );
  return texts.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0) / 1e6;
}

async function measureCost({ url, tenants }: TestBed): Promise<void> {
  const shared = { DATABASE_URL: url, SECRET_KEY, JOBS: 'off' };
  const gateways = [await startGateway({ ...shared, ...OFF }), await startGateway(shared)];
  const [{ authorization, workspaceId }] = tenants;
  const page = `/api/v2/workspaces/${workspaceId}/contacts`;
  const body = JSON.stringify({ contact: { first_name: 'Somebody' } });
  for (let i = 0; i < 20; i++)
    await gateways[0]?.send(page, {
      body,
      headers: { Authorization: authorization, 'Content-Type': 'application/json' },
    });
  const costs: number[][] = [[], []];
  for (let round = -2; round < rounds; round++) {
    for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const gateway = gateways[index] as GatewayProcess;
      const before = await processorMs(gateway);
      const sent = await sendMany(perRound, () =>
        send(gateway.origin + page, { Authorization: authorization }),
      );
      if (sent.some(({ status }) => status !== 200)) throw new Error('A page was refused.');
      // The first rounds are for the compiler.
      if (round >= 0) costs[index]?.push((1_000 * ((await processorMs(gateway)) - before)) / perRound);
    }
  }
  const [off = Number.NaN, on = Number.NaN] = costs.map(median);
  say(
    `Node a page of 20, µs, ${rounds} rounds of ${perRound}: without ${costs[0]?.map(Math.round)}; with ${costs[1]?.map(Math.round)}`,
  );
  report(
    `Node's processor time a request: ${off.toFixed(1)} µs without limits, ${on.toFixed(1)} µs with them: ${percent(on / off - 1)}, at most ${percent(MAX_COST)}`,
    on / off - 1 <= MAX_COST,
  );
  for (const gateway of gateways) await gateway.stop();
}

async function measureMemory({ url }: TestBed): Promise<void> {
  const gateway = await startGateway({
    DATABASE_URL: url,
    SECRET_KEY,
    JOBS: 'off',
    TRUST_PROXY: '127.0.0.1',
  });
  const from = (i: number) => `2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}::1`;
  const flood = (offset: number, count: number) =>
    sendMany(count, (i) => send(`${gateway.origin}/api/v2`, { 'X-Forwarded-For': from(offset + i) }));
  await flood(0, Math.min(30_000, addresses));
  const before = await gateway.memory();
  const sent = await flood(30_000, addresses);
  const after = await gateway.memory();
  report(
    `${sent.length} networks more, of which ${sent.filter(({ status }) => status === 200).length} were served: ${before.toFixed(0)} to ${after.toFixed(0)} MiB`,
    after - before <= MAX_GROWTH_MIB && sent.every(({ status }) => status === 200),
  );
  await gateway.stop();
}

async function tryRedis({ url, tenants, gateway: inProcess }: TestBed): Promise<void> {
  const port = await freePort();
  let redis = await startRedis(port);
  const env = {
    ...{
      DATABASE_URL: url,
      SECRET_KEY,
      JOBS: 'off',
      METRICS_PORT: '0',
      REDIS_URL: `redis://127.0.0.1:${port}`,
    },
    ...{ RATE_LIMIT_KEY: String(SHARED_LIMIT), RATE_LIMIT_TEAM: '0', RATE_LIMIT_ADDRESS: '900000000' },
  };
  const gateways = [await startGateway(env), await startGateway(env)] as const;
  const { app } = inProcess();
  const { apiKey } = await import('../support/factories.ts');
  const isShared = async (expected: number) => {
    for (let tries = 0; tries < 100; tries++) {
      const texts = await Promise.all(
        gateways.map(async ({ metrics = '' }) => (await fetch(metrics)).text()),
      );
      if (texts.every((text) => text.includes(`gateway_rate_limits_shared ${expected}`))) return true;
      await sleep(100);
    }
    return false;
  };
  /** Of a new key's requests to both gateways at once, how many were served. */
  const served = async (each: number) => {
    const [{ teamId }] = tenants;
    const { authorization } = await apiKey(app, { teamId });
    const headers = { Authorization: authorization ?? '' };
    const sent = await sendMany(2 * each, (i) =>
      send(`${gateways[i % 2 === 0 ? 0 : 1].origin}/api/v2/me`, headers),
    );
    if (sent.some(({ status }) => status !== 200 && status !== 429)) throw new Error('Neither 200 nor 429.');
    return sent.filter(({ status }) => status === 200).length;
  };
  /** Requests without credentials, each of which is counted in Redis, while something happens to it. */
  const during = async (what: string, happens: () => unknown) => {
    let isOver = false;
    const all: Sent[] = [];
    const load = (async () => {
      while (!isOver)
        all.push(...(await sendMany(200, (i) => send(`${gateways[i % 2 === 0 ? 0 : 1].origin}/api/v2`, {}))));
    })();
    await sleep(1_000);
    const calm = Math.max(...all.map(({ ms }) => ms));
    const before = quantile(
      all.map(({ ms }) => ms),
      0.5,
    );
    await happens();
    const alone = await isShared(0);
    await sleep(1_000);
    isOver = true;
    await load;
    const byThemselves = await served(500);
    const failed = all.filter(({ status }) => status !== 200).length;
    const worst = Math.max(...all.map(({ ms }) => ms));
    report(
      `${what}: ${all.length} requests, ${failed} failed, median ${before} ms before, longest ${worst.toFixed(0)} ms, before ${calm.toFixed(0)} (at most ${MAX_WAIT_MS} more); each counts by itself: ${byThemselves} of 1000 of a key served (at most ${2 * SHARED_LIMIT})`,
      alone && failed === 0 && worst <= calm + MAX_WAIT_MS && byThemselves <= 2 * SHARED_LIMIT,
    );
  };
  const together = async (when: string) => {
    const counts: number[] = [];
    // On a busy machine Redis itself may not get a turn in time.
    while (counts.length < 3 && counts.at(-1) !== SHARED_LIMIT && (await isShared(1)))
      counts.push(await served(300));
    report(
      `${when}: of 600 requests to two gateways ${counts.join(', then ')} were served, the limit is ${SHARED_LIMIT}`,
      counts.at(-1) === SHARED_LIMIT,
    );
  };

  try {
    await together('Redis is there');
    await during('Redis is frozen (SIGSTOP)', () => redis.kill('SIGSTOP'));
    redis.kill('SIGCONT');
    await together('It goes on');
    await during('Redis is killed (SIGKILL)', () => redis.kill('SIGKILL'));
    redis = await startRedis(port);
    await together('It is started again');
  } finally {
    for (const gateway of gateways) await gateway.stop();
    redis.kill('SIGKILL');
  }
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

await withTestBed(async (testBed) => {
  if (redisPart === 0) say('Without Redis, as asked.');
  else if (spawnSync('redis-server', ['--version']).error === undefined) await tryRedis(testBed);
  else say('Left out: there is no redis-server here (Debian: apt-get install redis-server).');
  if (addresses > 0) await measureMemory(testBed);
  await measureCost(testBed);
});
agent.destroy();
