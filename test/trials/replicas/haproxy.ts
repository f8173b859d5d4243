// HAProxy, as Debian has it: before four gateways, each of which it asks for /readyz, and before whichever server is the primary. Where
// a server of its is to be found is told over its socket, as whatever looks after a failover does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SystemUser } from '../../../src/store/embedded/user.ts';
import { freePort } from '../../support/free-port.ts';
import { answers } from '../faults/pgbouncer.ts';

/** How often it asks a gateway whether it is ready. */
const CHECK_MS = 200;
export const GATEWAYS = 4;
const READY_MS = 120_000;

export interface HaProxy {
  /** Where clients find the gateways. */
  readonly origin: string;
  /** Where the primary is found. */
  readonly primaryPort: number;
  /** Leads to a server's port from now on: `primary/primary`, or `gateways/gateway-1`. What is open is not cut off. */
  lead(server: string, port: number): Promise<void>;
  /** Resolves once so many gateways are ready. */
  untilReady(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it, before nothing yet. */
export async function startHaProxy(user: Partial<SystemUser>): Promise<HaProxy> {
  const [port, primaryPort] = [await freePort(), await freePort()];
  const folder = await mkdtemp(join(tmpdir(), 'fg-haproxy-'));
  const [file, admin] = [join(folder, 'haproxy.cfg'), join(folder, 'admin.sock')];
  await writeFile(file, configuration({ port, primaryPort, admin }));
  if (user.uid !== undefined)
    for (const each of [folder, file]) await chown(each, user.uid, user.gid ?? user.uid);
  const child = spawn('haproxy', ['-db', '-q', '-f', file], {
    ...user,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  for (let tries = 0; !(await answers(port)); tries++) {
    if (tries === 100 || child.exitCode !== null) throw new Error('HAProxy did not start');
    await sleep(50);
  }
  const tell = (command: string) => ask(admin, command);
  return {
    origin: `http://127.0.0.1:${port}`,
    primaryPort,
    async lead(server, to) {
      await tell(`set server ${server} addr 127.0.0.1 port ${to}`);
      await tell(`set server ${server} state ready`);
    },
    async untilReady(count) {
      const deadline = performance.now() + READY_MS;
      for (;;) {
        const lines = (await tell('show stat'))
          .split('\n')
          .filter((line) => line.startsWith('gateways,gateway-'));
        if (lines.filter((line) => line.includes(',UP,')).length === count) return;
        if (performance.now() > deadline)
          throw new Error(`HAProxy does not find ${count} gateways ready: ${lines.join('; ')}`);
        await sleep(CHECK_MS);
      }
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configuration({ port, primaryPort, admin }: { port: number; primaryPort: number; admin: string }) {
  const gateways = Array.from(
    { length: GATEWAYS },
    (_, index) => `  server gateway-${index + 1} 127.0.0.1:1 check disabled`,
  );
  return `global
  stats socket ${admin} level admin
defaults
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  timeout check 2s
  retries 3
  option redispatch
frontend clients
  mode http
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  mode http
  balance roundrobin
  option forwardfor
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host localhost
  default-server inter ${CHECK_MS}ms fall 3 rise 1
${gateways.join('\n')}
listen primary
  mode tcp
  # Whoever connects tries again, and finds where it leads by then.
  retries 0
  bind 127.0.0.1:${primaryPort}
  timeout client 1h
  timeout server 1h
  server primary 127.0.0.1:1
`;
}

/** One command over its socket. */
async function ask(path: string, command: string): Promise<string> {
  const socket = connect(path).setEncoding('utf8');
  socket.end(`${command}\n`);
  let text = '';
  for await (const part of socket) text += part;
  return text;
}
