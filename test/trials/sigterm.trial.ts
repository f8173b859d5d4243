// SIGTERM under load, to the process, to `npm start` and to `npx`: no request that was accepted fails.
// `npm run trial -- sigterm [rounds] [restarts]`, 9 and 6 by default. Clients of both faces keep their connections, open new ones, or send several requests
// at once. What nobody took any more may fail, where it changed nothing: a connection that is refused, or still in the listening
// socket's queue when that is closed. With SHUTDOWN_DELAY_MS also clients that pause are never cut. On a socket
// that this trial holds, as a service manager does, a gateway is restarted under load: then nothing may fail at all.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../support/free-port.ts';
import { type HeldSocket, holdSocket, serveOnSocket } from '../support/held-socket.ts';
import { ROOT } from './child-processes.ts';
import { type BusyEntry, startBusyClients } from './faults/busy-clients.ts';
import { judgeLedger } from './faults/ledger.ts';
import type { Caller } from './faults/load.ts';
import { startPostgres } from './faults/postgres.ts';
import { createCallers } from './faults/tenants.ts';
import { SECRET_KEY } from './secret-key.ts';
import { quantile, report } from './test-bed.ts';

const ROUNDS = Number(process.argv[3] ?? 9);
const RESTARTS = Number(process.argv[4] ?? 6);
const PROGRAMS: readonly (readonly [name: string, ...command: string[]])[] = [
  ['the process', process.execPath, 'bin/funnel-gateway.js', 'serve'],
  ['npm start', 'npm', 'start'],
  ['npx', 'npx', 'funnel-gateway', 'serve'],
];
/** Longer than a connection may be idle. */
const DELAY_MS = 6_500;

const postgres = await startPostgres();
const pool = new pg.Pool({ connectionString: postgres.url });
try {
  const callers = await createCallers(postgres.url, 3);
  for (let round = 1; round <= ROUNDS; round++) {
    const [name, ...command] = PROGRAMS[round % PROGRAMS.length] as (typeof PROGRAMS)[number];
    const isPatient = round % 4 === 0;
    const run = `sigterm-${process.pid}-${round}`;
    const gateway = await start(command, isPatient ? DELAY_MS : 0);
    const clients = startBusyClients({
      ...{ origin: gateway.origin, callers, run, keeping: 16, opening: 4, pipelining: 4 },
      pauseMs: isPatient ? 4_000 : 0,
    });
    await sleep(1_000 + Math.random() * 1_000);
    const signalledAt = performance.now();
    gateway.child.kill('SIGTERM');
    let isEnded = false;
    gateway.closed.then(() => {
      isEnded = true;
    });
    await clients.ended;
    const refusedMs = performance.now() - signalledAt;
    await gateway.closed;
    const endedMs = performance.now() - signalledAt;
    await reportRound(`${name}${isPatient ? ', pausing clients, with a delay' : ''}`, run, clients.entries);
    report(
      `   refused after ${Math.round(refusedMs)} ms, ended after ${Math.round(endedMs)} ms`,
      isEnded && endedMs < DELAY_MS + 5_000,
    );
  }
  for (const processes of [1, 2]) await restartOnSocket(processes, callers);
} finally {
  await pool.end();
  await postgres.remove();
}

/** Restarts gateways that share a socket, one after the other, while clients of both faces go on. */
async function restartOnSocket(processes: number, callers: readonly Caller[]): Promise<void> {
  const port = await freePort();
  const socket = holdSocket(port);
  const origin = `http://127.0.0.1:${port}`;
  const run = `sigterm-socket-${process.pid}-${processes}`;
  const gateways: Held[] = [];
  try {
    for (let each = 0; each < processes; each++) gateways.push(await startHeld(socket));
    const clients = startBusyClients({
      ...{ origin, callers, run, keeping: 16, opening: 4, pipelining: 4 },
    });
    for (let restart = 0; restart < RESTARTS; restart++) {
      await sleep(500 + Math.random() * 500);
      const [oldest] = gateways.splice(0, 1);
      oldest?.child.kill('SIGTERM');
      await oldest?.ended;
      gateways.push(await startHeld(socket));
    }
    await sleep(500);
    await clients.stop();
    const unanswered = clients.entries.filter(({ failure }) => failure !== null);
    await reportRound(`a held socket, ${processes} at a time, ${RESTARTS} restarts`, run, clients.entries);
    report(`   ${unanswered.length} without an answer`, unanswered.length === 0);
  } finally {
    for (const { child } of gateways) child.kill('SIGTERM');
    await Promise.all(gateways.map(({ ended }) => ended));
    socket.close();
  }
}

interface Held {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

/** Starts a gateway on the socket, and waits until it listens. */
async function startHeld(socket: HeldSocket): Promise<Held> {
  const { HOME = '' } = process.env;
  const child = serveOnSocket(socket, ['--no-demo', '--json'], {
    env: { HOME, DATABASE_URL: postgres.url, SECRET_KEY, JOBS: 'off', LOG_LEVEL: 'fatal' },
    cwd: ROOT,
  });
  const ended = once(child, 'close');
  child.stderr?.resume();
  if (child.stdout !== null) await Promise.race([once(child.stdout, 'data'), ended]);
  return { child, ended };
}

async function reportRound(name: string, run: string, entries: readonly BusyEntry[]): Promise<void> {
  const failures = Map.groupBy(entries, ({ failure }) => failure ?? 'answered');
  const many = (failure: string) => failures.get(failure as 'cut')?.length ?? 0;
  const answered = failures.get('answered') ?? [];
  const bad = answered.filter(({ status }) => status < 200 || status > 201);
  const verdict = await judgeLedger(pool, run, entries);
  const { acknowledged, unknownButMade, findings } = verdict;
  const slowest = quantile(
    answered.map(({ ms }) => ms),
    1,
  );
  const wrong = Object.entries(findings).filter(([, found]) => found.length > 0);
  report(
    `${name}: ${answered.length} answered, slowest ${slowest} ms, ${bad.length} with an error; ${many('cut')} cut; not accepted: ${many('refused')} refused, ${many('reset when new')} in the queue, of which ${unknownButMade} were made`,
    many('cut') === 0 && bad.length === 0 && unknownButMade === 0 && answered.length > 100,
  );
  const found = wrong.map(([what, list]) => `${what}: ${list.slice(0, 2).join(', ')}`).join('; ');
  report(`   ${acknowledged} changes acknowledged, all are there ${found}`, wrong.length === 0);
}

/** Starts a gateway by a command line, and waits until it answers. */
async function start([program = '', ...args]: readonly string[], delayMs: number) {
  const port = await freePort();
  const { HOME, PATH } = process.env;
  const child = spawn(program, args, {
    cwd: ROOT,
    env: {
      ...{ HOME, PATH, PORT: String(port), DATABASE_URL: postgres.url, SECRET_KEY, JOBS: 'off' },
      ...{ LOG_LEVEL: 'fatal', SHUTDOWN_DELAY_MS: String(delayMs) },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // npx does not wait for the gateway: its output is open for as long as one of them lives.
  child.stdout.resume();
  const closed = once(child, 'close').then(() => {});
  const origin = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + 60_000;
  const isReady = () =>
    fetch(`${origin}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (performance.now() > deadline) throw new Error(`${program} ${args.join(' ')} does not answer`);
    await sleep(50);
  }
  return { child, origin, closed };
}
