// `serve --workers`: what a request costs with one process and with several, workers that are killed under load, one rate limit
// for all of them, and an end at which no accepted request fails.
//
// `npm run trial -- workers 6 4 8 2`: rounds of the comparison, seconds of each, kills, and workers.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startBusyClients } from './faults/busy-clients.ts';
import { startGateway } from './gateway-process.ts';
import { say } from './say.ts';
import { SECRET_KEY } from './secret-key.ts';
import { report, type TestBed, withTestBed } from './test-bed.ts';
import { startClients } from './workers/clients.ts';
import { acceptedBy, processorMs, workersOf } from './workers/process-tree.ts';

const [rounds = 6, seconds = 4, kills = 8, workers = 2] = process.argv.slice(3).map(Number);
/** For each process: it is as busy as one that is alone. */
const CONNECTIONS = 32;
const MAX_COST = 1.1;
/** Rounds for the compiler: each of several processes gets a part of the requests alone. */
const WARM_UPS = 4;
const LIMIT = 400;
const LOAD = fileURLToPath(new URL('./open-loop.ts', import.meta.url));

type Gateway = Awaited<ReturnType<typeof startGateway>>;

const pidOf = ({ child }: Gateway) => child.pid ?? 0;
const portOf = ({ origin }: Gateway) => Number(new URL(origin).port);
const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** On the test bed's database. @param count of workers */
function start({ url }: TestBed, count: number, env: Record<string, string> = {}): Promise<Gateway> {
  const all = {
    DATABASE_URL: url,
    SECRET_KEY,
    JOBS: 'off',
    WORKERS: String(count),
    SHUTDOWN_TIMEOUT_MS: '5000',
  };
  return startGateway({ ...all, RATE_LIMIT_ADDRESS: '0', ...env });
}

const pageOf = ({ tenants: [{ workspaceId }] }: TestBed) => `/api/v2/workspaces/${workspaceId}/contacts`;

/** Asks for pages as fast as they are answered. @returns answers a second */
async function load(gateway: Gateway, processes: number, path: string, token: string): Promise<number> {
  const args = [
    LOAD,
    String(portOf(gateway)),
    'closed',
    String(CONNECTIONS * processes),
    String(seconds),
    '0',
    path,
    token,
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(child, 'close');
  const { good, late, shed, other, lost, seconds: took } = JSON.parse(text) as Record<string, number>;
  if ((other ?? 0) + (lost ?? 0) > 0) throw new Error(`Pages failed: ${text}`);
  return ((good ?? 0) + (late ?? 0) + (shed ?? 0)) / (took ?? 1);
}

/**
 * What a request costs: with one process, with several workers, and with as many gateways of one process each that know nothing of each
 * other. Where cores are few, processes take from each other's caches, however they were started: the last ones tell how much that is.
 */
async function compare(testBed: TestBed): Promise<void> {
  const [{ authorization }] = testBed.tenants;
  const token = authorization.replace('Bearer ', '');
  const together = await start(testBed, workers);
  const apart = await Promise.all(Array.from({ length: workers }, () => start(testBed, 1)));
  const subjects = [
    { name: '1 process', gateways: apart.slice(0, 1), processes: 1 },
    { name: `${workers} workers`, gateways: [together], processes: workers },
    { name: `${workers} gateways`, gateways: apart, processes: 1 },
  ].map((subject) => ({ ...subject, costs: [] as number[], rates: [] as number[] }));
  const post = { Authorization: authorization, 'Content-Type': 'application/json' };
  for (let i = 0; i < 20; i++)
    await together.send(pageOf(testBed), {
      body: '{"contact":{"first_name":"Somebody"}}',
      headers: post,
    });
  for (let round = -WARM_UPS; round < rounds; round++) {
    for (const { gateways, processes, costs, rates } of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const pids = gateways.map(pidOf);
      const all = [...pids, ...(await Promise.all(pids.map(workersOf))).flat()];
      const before = await processorMs(all);
      const loads = gateways.map((gateway) => load(gateway, processes, pageOf(testBed), token));
      const perSecond = (await Promise.all(loads)).reduce((sum, each) => sum + each, 0);
      if (round < 0) continue;
      rates.push(perSecond);
      costs.push((1_000 * ((await processorMs(all)) - before)) / (perSecond * seconds));
    }
  }
  for (const gateway of [together, ...apart]) await gateway.stop();
  for (const { name, costs, rates } of subjects)
    say(
      `${name.padEnd(12)} Node a page of 20, µs: ${costs.map(Math.round)}; pages a second: ${rates.map(Math.round)}`,
    );
  // Each round by itself: what else the machine does is the same for all.
  const ratio = (what: 'costs' | 'rates', index: number) =>
    median((subjects[1]?.[what] ?? []).map((each, i) => each / (subjects[index]?.[what][i] ?? 0))).toFixed(2);
  for (const [index, others] of [
    [0, 'one process alone'],
    [2, `${workers} gateways apart`],
  ] as const)
    report(
      `Node's processor time a request with ${workers} workers is ${ratio('costs', index)} of that with ${others}, at most ${MAX_COST}; requests a second ${ratio('rates', index)}`,
      Number(ratio('costs', index)) <= MAX_COST,
    );
}

async function killWorkers(testBed: TestBed): Promise<void> {
  const [{ authorization }] = testBed.tenants;
  const gateway = await start(testBed, workers, { SHUTDOWN_DELAY_MS: '0' });
  const [pid, port] = [pidOf(gateway), portOf(gateway)];
  const clients = startClients(
    gateway.origin + pageOf(testBed),
    { Authorization: authorization },
    { keeping: 16, opening: 8 },
  );
  const [accepted, replacedMs]: [Set<number>, number[]] = [new Set(), []];
  for (let kill = 0; kill < kills; kill++) {
    await sleep(1_500);
    const before = await workersOf(pid);
    const victim = before[kill % before.length] ?? 0;
    process.kill(victim, 'SIGSTOP');
    for (const client of await acceptedBy(victim, port)) accepted.add(client);
    const killedAt = performance.now();
    process.kill(victim, 'SIGKILL');
    let now = before;
    while (now.includes(victim) || now.length < workers) {
      await sleep(5);
      now = await workersOf(pid);
    }
    replacedMs.push(performance.now() - killedAt);
    // Until it has accepted something.
    const successor = now.find((one) => !before.includes(one)) ?? 0;
    for (
      let tries = 0;
      tries < 400 && (await acceptedBy(successor, port).catch(() => new Set())).size === 0;
      tries++
    )
      await sleep(25);
  }
  await clients.stop();
  const others = clients.failed.filter((failed) => !accepted.has(failed.port));
  report(
    `${kills} workers killed under load: ${clients.answered()} requests answered, ${clients.failed.length} failed, ${others.length} of them on connections that no killed worker had (${others.map(({ code }) => code).slice(0, 3)}); ${clients.refused.length} were answered with an error; replaced after ${Math.round(median(replacedMs))} ms`,
    others.length === 0 && clients.refused.length === 0 && clients.answered() > 100 * kills,
  );
  const end = once(gateway.child, 'close');
  await gateway.stop();
  const [code] = (await end) as [number | null];
  report(`then SIGTERM: exit code ${code}`, code === 0);
}

async function shareLimit(testBed: TestBed): Promise<void> {
  const { app } = testBed.gateway();
  const { apiKey } = await import('../support/factories.ts');
  const [{ teamId }] = testBed.tenants;
  const gateway = await start(testBed, workers, { RATE_LIMIT_KEY: String(LIMIT), RATE_LIMIT_TEAM: '0' });
  /** Requests on connections of their own come to all workers; those on one connection to one worker. */
  for (const { how, requests, atOnce, onOne } of [
    { how: '16 at once, each on a connection of its own', requests: 3 * LIMIT, atOnce: 16, onOne: 0 },
    { how: 'one after the other', requests: 2 * LIMIT, atOnce: 1, onOne: 0 },
    { how: 'some from all over, the rest on one connection', requests: LIMIT / 4, atOnce: 4, onOne: LIMIT },
  ]) {
    const { authorization } = await apiKey(app, { teamId });
    const headers = { Authorization: authorization ?? '' };
    const statuses: (number | undefined)[] = [];
    const client = async () => {
      while (statuses.length < requests)
        statuses.push((await gateway.send('/api/v2/me', { headers })).status);
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    const kept = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; i < onOne; i++)
      statuses.push(await statusOver(kept, `${gateway.origin}/api/v2/me`, headers));
    kept.destroy();
    const served = statuses.filter((status) => status === 200).length;
    const other = statuses.filter((status) => status !== 200 && status !== 429).length;
    report(
      `${how}: of ${statuses.length} requests ${served} were served, the limit is ${LIMIT}; ${other} with another answer`,
      // Each counts for some milliseconds without knowing what the others count meanwhile.
      served >= LIMIT && served <= 1.5 * LIMIT && other === 0,
    );
  }
  await gateway.stop();
}

function statusOver(agent: Agent, url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    }).once('error', reject);
  });
}

async function drain(testBed: TestBed): Promise<void> {
  const gateway = await start(testBed, workers);
  const callers = testBed.tenants.map(({ authorization, workspaceId }, index) => ({
    ...{ name: `team-${index}`, authorization, workspaceId },
    workspaceRef: btoa(`Workspace:${workspaceId}`),
  }));
  const run = `workers-${process.pid}`;
  const clients = startBusyClients({
    origin: gateway.origin,
    callers,
    run,
    keeping: 16,
    opening: 4,
    pipelining: 4,
  });
  await sleep(2_000);
  const all = await workersOf(pidOf(gateway));
  // As a terminal or a service manager does it: to all of them.
  for (const pid of all) process.kill(pid, 'SIGTERM');
  const end = once(gateway.child, 'close');
  const stopped = gateway.stop();
  await clients.ended;
  const [code] = (await end) as [number | null];
  const count = (failure: string | null) =>
    clients.entries.filter((entry) => entry.failure === failure).length;
  const bad = clients.entries.filter(
    ({ failure, status }) => failure === null && (status < 200 || status > 201),
  );
  report(
    `SIGTERM under load: ${count(null)} answered, ${bad.length} with an error, ${count('cut')} cut; not accepted: ${count('refused')} refused, ${count('reset when new')} in the queue; exit code ${code}`,
    count('cut') === 0 && bad.length === 0 && count(null) > 20 && code === 0,
  );
  await stopped;
}

await withTestBed(async (testBed) => {
  await shareLimit(testBed);
  if (kills > 0) await killWorkers(testBed);
  await drain(testBed);
  if (rounds > 0) await compare(testBed);
});
