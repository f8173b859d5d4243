// PgBouncer in transaction mode, as Debian has it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { SystemUser } from '../../../src/store/embedded/user.ts';
import { freePort } from '../../support/free-port.ts';

export interface PgBouncer {
  /** Its address for the database. */
  readonly url: string;
  stop(): Promise<void>;
}

interface PoolerOptions {
  /** Connections to PostgreSQL. */
  readonly poolSize: number;
  /** Whom it runs as: it refuses to run as root. */
  readonly user: Partial<SystemUser>;
}

/** Starts it before a database, and answers when it listens. */
export async function startPgBouncer(
  databaseUrl: string,
  { poolSize, user }: PoolerOptions,
): Promise<PgBouncer> {
  const { host, port, database, user: name, password } = new pg.Client({ connectionString: databaseUrl });
  const listenPort = await freePort();
  const login = `user=${name} ${password ? `password=${password}` : ''}`;
  const settings = [
    '[databases]',
    `${database} = host=${host} port=${port} ${login}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    `admin_users = ${name}`,
    'pool_mode = transaction',
    `default_pool_size = ${poolSize}`,
    'max_client_conn = 1000',
    // A server that comes back is connected to again after a second, not after 15.
    'server_login_retry = 1',
    'ignore_startup_parameters = statement_timeout,extra_float_digits',
  ];
  const folder = await mkdtemp(join(tmpdir(), 'fg-pgbouncer-'));
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, settings.join('\n'));
  if (user.uid !== undefined)
    for (const each of [folder, file]) await chown(each, user.uid, user.gid ?? user.uid);
  const child = spawn('pgbouncer', ['-q', file], { ...user, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  for (let tries = 0; !(await answers(listenPort)); tries++) {
    if (tries === 100) throw new Error('PgBouncer did not start');
    await sleep(50);
  }
  const url = new URL(databaseUrl);
  url.search = '';
  url.host = `127.0.0.1:${listenPort}`;
  return {
    url: url.href,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Whether somebody listens on a port of loopback. */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy().destroyed));
    socket.on('error', () => resolve(false));
  });
}
