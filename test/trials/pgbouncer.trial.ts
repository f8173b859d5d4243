// A real PgBouncer in transaction mode takes LISTEN and hands nothing on. The gateway notices, remembers nothing and
// says so; with DATABASE_LISTEN_URL it hears.
// It needs `pgbouncer`, as Debian has it.
import { spawn } from 'node:child_process';
import { chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { listenForChanges } from '../../src/store/change-listener.ts';
import { report, withTestBed } from './test-bed.ts';

/** Starts PgBouncer before the database; its address for it. */
async function startPgBouncer(databaseUrl: string, folder: string): Promise<{ url: string; stop(): void }> {
  const { host, port, database, user, password } = new pg.Client({ connectionString: databaseUrl });
  const listenPort = await freePort();
  const login = `user=${user} ${password ? `password=${password}` : ''}`;
  const settings = [
    '[databases]',
    `${database} = host=${host} port=${port} ${login}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listenPort}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 2',
    'ignore_startup_parameters = statement_timeout,extra_float_digits',
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, settings.join('\n'));
  // Only the owner of PostgreSQL's socket may enter there, and PgBouncer refuses to run as root.
  const { uid, gid } = await stat(host);
  await chown(folder, uid, gid);
  await chown(file, uid, gid);
  const child = spawn('pgbouncer', ['-q', file], { uid, gid, stdio: ['ignore', 'ignore', 'inherit'] });
  for (let tries = 0; !(await answers(listenPort)); tries++) {
    if (tries === 100) throw new Error('PgBouncer did not start');
    await sleep(50);
  }
  const url = new URL(databaseUrl);
  url.search = '';
  url.host = `127.0.0.1:${listenPort}`;
  return { url: url.href, stop: () => child.kill() };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy().destroyed));
    socket.on('error', () => resolve(false));
  });
}

await withTestBed(async ({ url, gateway }) => {
  const folder = await mkdtemp(join(tmpdir(), 'fg-pgbouncer-'));
  const bouncer = await startPgBouncer(url, folder);
  try {
    const listener = new pg.Client({ connectionString: bouncer.url });
    const heard: string[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await listener.connect();
    await listener.query('listen trial');
    const other = new pg.Client({ connectionString: bouncer.url });
    await other.connect();
    for (let index = 0; index < 20; index++)
      await other.query(`select pg_notify('trial', 'another session')`);
    await sleep(500);
    report(
      `LISTEN through PgBouncer was accepted and heard ${heard.length} of 20 notifications`,
      heard.length === 0,
    );
    await listener.query(`select pg_notify('trial', 'own')`);
    await sleep(500);
    process.stdout.write(
      `what the same session said it heard ${heard.filter((said) => said === 'own').length} times\n`,
    );
    await Promise.all([listener.end(), other.end()]);

    for (const [name, listenUrl] of [
      ['pooler alone', undefined],
      ['DATABASE_LISTEN_URL', url],
    ] as const) {
      const addresses = { databaseUrl: bouncer.url, ...(listenUrl !== undefined && { listenUrl }) };
      const { app, logLines } = gateway({}, addresses);
      const changes = listenForChanges({ store: app.store, log: app.log, onChange() {} });
      let wasLive = false;
      for (let waited = 0; waited < 15_000 && !wasLive; waited += 50) {
        await sleep(50);
        wasLive = changes.live;
      }
      const warnings = logLines.filter((line) => line.includes('DATABASE_LISTEN_URL')).length;
      const isGood = listenUrl === undefined ? !wasLive && warnings === 1 : wasLive && warnings === 0;
      report(`${name}: live ${wasLive}, ${warnings} warnings`, isGood);
      await changes.close();
    }
  } finally {
    bouncer.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
