// A gateway as it is shipped, in a process of its own with an embedded database, and what can be seen of it from outside.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** As `npm start` runs it. */
const FLAGS = ['--max-semi-space-size=16', '--initial-old-space-size=24', '--no-allocation-site-pretenuring'];

interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly text: string;
}

export interface GatewayProcess {
  readonly origin: string;
  readonly key: string;
  /** The address of the metrics, where METRICS_PORT is set. */
  readonly metrics: string | undefined;
  readonly child: ChildProcess;
  /** Sends one request; the answer's text is kept only where it is short. */
  send(
    path: string,
    options?: { body?: string; headers?: Record<string, string>; method?: string },
  ): Promise<Answer>;
  /** Resident memory of the process, in MiB. */
  memory(): Promise<number>;
  /** Runs a command on the same data. */
  command(...args: string[]): Promise<void>;
  /** Creates a team. @returns its key */
  keyOfNewTeam(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** @param root the folder of the project */
export async function startGateway(
  env: Record<string, string> = {},
  root: string = ROOT,
): Promise<GatewayProcess> {
  const dataDir = await mkdtemp(join(tmpdir(), 'funnel-gateway-trial-'));
  await chmod(dataDir, 0o755);
  const all = { PATH: process.env['PATH'], PORT: '0', LOG_LEVEL: 'fatal', DATA_DIR: dataDir, ...env };
  const run = (args: string[]) =>
    spawn(process.execPath, [...FLAGS, join(root, 'bin/funnel-gateway.js'), ...args], {
      cwd: '/',
      env: all,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const child = run(['serve', '--json']);
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line')) as [string];
  const { rest, demoKey, metrics } = JSON.parse(line) as { rest: string; demoKey: string; metrics?: string };
  const { origin } = new URL(rest);
  // An idle connection may be closed at any time: none is used again.
  const agent = new Agent({ keepAlive: false, maxSockets: 512 });
  return {
    origin,
    key: demoKey,
    metrics,
    child,
    send: (path, { body, headers = {}, method = body === undefined ? 'GET' : 'POST' } = {}) =>
      new Promise((resolve, reject) => {
        const sent = request(origin + path, { method, agent, headers }, (response) => {
          let bytes = 0;
          let text = '';
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (text.length < 10_000) text += chunk.toString();
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes, text }));
          response.on('error', reject);
        });
        sent.on('error', reject);
        sent.end(body);
      }),
    async memory() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
    },
    async command(...args) {
      const [code] = await once(
        run(args).on('error', () => {}),
        'close',
      );
      if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
    },
    async keyOfNewTeam(name) {
      const made = run(['team', 'create', '--name', name, '--json']);
      const chunks: Buffer[] = await made.stdout.toArray();
      return (JSON.parse(Buffer.concat(chunks).toString()) as { token: string }).token;
    },
    async stop() {
      agent.destroy();
      const closed = once(child, 'close');
      child.kill('SIGTERM');
      await closed;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface Probe {
  /** The longest answer since the last call, in milliseconds. */
  worst(): Promise<number>;
  stop(): Promise<void>;
}

/** Asks for a path all the time, from a thread of its own, so that this one's work does not count. */
export async function startProbe(url: string, headers: Record<string, string> = {}): Promise<Probe> {
  const worker = new Worker(PROBE, { eval: true, workerData: { url, headers } });
  await once(worker, 'message');
  return {
    async worst() {
      worker.postMessage('worst');
      const [worst] = (await once(worker, 'message')) as [number];
      return worst;
    },
    stop: async () => void (await worker.terminate()),
  };
}

const PROBE = `
const { parentPort, workerData } = require('node:worker_threads');
const { Agent, get } = require('node:http');
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const { url, headers } = workerData;
let worst = 0;
let startedAt = performance.now();
const ask = () => new Promise((done) => {
  startedAt = performance.now();
  get(url, { agent, headers }, (response) => response.resume().on('end', done)).on('error', done);
});
parentPort.on('message', () => {
  parentPort.postMessage(Math.max(worst, performance.now() - startedAt));
  worst = 0;
});
(async () => {
  await ask();
  parentPort.postMessage('ready');
  for (;;) {
    await ask();
    worst = Math.max(worst, performance.now() - startedAt);
    await new Promise((done) => setTimeout(done, 10));
  }
})();
`;

/** Until the process has been quiet for a while. */
export async function settle(ms = 2_000): Promise<void> {
  await sleep(ms);
}
