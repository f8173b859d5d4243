// Gateways that deliver nothing, and workers that do nothing else, in processes of their own: killed ones are started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from '../../support/free-port.ts';
import { ROOT } from '../child-processes.ts';
import { killServerProcess } from '../kill-server-process.ts';
import { SECRET_KEY } from '../secret-key.ts';

interface Member {
  readonly kind: 'gateway' | 'worker';
  readonly port: number;
  child: ChildProcess;
}

export interface Fleet {
  /** The address of one of the gateways. */
  origin(index: number): string;
  /** Kills one with SIGKILL, and starts it again. */
  kill(kind: Member['kind']): Promise<void>;
  /** Kills one of PostgreSQL's processes that serve connections: all others end, and it recovers from its log. */
  killServerProcess(url: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts them over one database. */
export async function startFleet(
  url: string,
  { gateways, workers }: { readonly gateways: number; readonly workers: number },
): Promise<Fleet> {
  const members: Member[] = [];
  for (let index = 0; index < gateways + workers; index++) {
    const kind = index < gateways ? 'gateway' : 'worker';
    const port = await freePort();
    members.push({ kind, port, child: await start(kind, url, port) });
  }
  const ofKind = (kind: Member['kind']) => members.filter((member) => member.kind === kind);
  return {
    origin: (index) => `http://127.0.0.1:${ofKind('gateway')[index % gateways]?.port}`,
    async kill(kind) {
      const all = ofKind(kind);
      const member = all[Math.floor(Math.random() * all.length)];
      if (member === undefined) return;
      const ended = once(member.child, 'exit');
      member.child.kill('SIGKILL');
      await ended;
      member.child = await start(kind, url, member.port);
    },
    killServerProcess,
    async stop() {
      await Promise.all(
        members.map(async ({ child }) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, 'exit');
          child.kill('SIGTERM');
          await ended;
        }),
      );
    },
  };
}

async function start(kind: Member['kind'], url: string, port: number): Promise<ChildProcess> {
  const args = kind === 'gateway' ? ['serve', '--no-migrate'] : ['work'];
  const child = spawn(process.execPath, ['bin/funnel-gateway.js', ...args, '--json'], {
    cwd: ROOT,
    env: {
      ...{ PATH: process.env['PATH'], DATABASE_URL: url, PORT: String(port), LOG_LEVEL: 'fatal' },
      ...{ JOBS: kind === 'gateway' ? 'off' : 'on', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
      SECRET_KEY,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(() => 'ended');
  const line = once(createInterface({ input: child.stdout }), 'line');
  line.catch(() => {});
  // While PostgreSQL recovers, a process may give up.
  return (await Promise.race([ended, line])) === 'ended' ? start(kind, url, port) : child;
}
