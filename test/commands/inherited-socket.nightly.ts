// `serve` on a listening socket that a service manager holds: several processes share it, and a restart refuses nobody.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { cloneTemplate } from '../support/gateway.ts';
import { type HeldSocket, holdSocket, serveOnSocket } from '../support/held-socket.ts';
import { startClients } from '../trials/steady-clients.ts';
import { type Env, MAIN, run, runHere, temporaryFolder } from './cli.ts';

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let database: Awaited<ReturnType<typeof cloneTemplate>>;
/** The socket of the service manager. */
let held: HeldSocket;
let port: number;
const started: ChildProcess[] = [];

beforeAll(async () => {
  [folder, database] = await Promise.all([temporaryFolder(), cloneTemplate()]);
  port = await freePort();
  held = holdSocket(port);
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  held.close();
  await database.drop();
  await folder.remove();
});

/** Starts `serve` on it. */
function serveOn(socket: HeldSocket, { owner, ...env }: Env = {}) {
  const child = serveOnSocket(socket, ['--no-demo', '--json'], {
    env: { DATABASE_URL: database.url, DATA_DIR: folder.path, ...env },
    cwd: folder.path,
    ...(owner !== undefined && { owner }),
  });
  started.push(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output }));
  const ready = async () => {
    await expect.poll(() => output.stdout + output.stderr).toMatch(/"rest"|\n$/);
    await expect.poll(() => output.stdout, { message: output.stderr }).toContain('"rest"');
    return JSON.parse(output.stdout) as { rest: string };
  };
  return { child, output, ended, ready };
}

test('two processes share the socket, and no request fails while they restart one after the other', async () => {
  const [first, second] = [serveOn(held), serveOn(held)];
  expect(new URL((await first.ready()).rest).port).toBe(String(port));
  await second.ready();
  const clients = startClients(`http://127.0.0.1:${port}/healthz`, {}, { keeping: 4, opening: 4 });
  let gateways = [first, second];
  for (let restart = 0; restart < 4; restart++) {
    const [old, ...rest] = gateways;
    const next = serveOn(held);
    await next.ready();
    old?.child.kill('SIGTERM');
    expect((await old?.ended)?.code).toBe(0);
    gateways = [...rest, next];
  }
  await clients.stop();
  expect(clients.answered()).toBeGreaterThan(100);
  expect({ failed: clients.failed, refused: clients.refused }).toEqual({ failed: [], refused: [] });
  for (const { child, ended } of gateways) {
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
  }
});

test('a process without its own socket listens on PORT, and logs it', async () => {
  const gateway = serveOn(held, { owner: '1' });
  expect(new URL((await gateway.ready()).rest).port).not.toBe(String(port));
  expect(gateway.output.stderr).toContain('the passed socket is not used: LISTEN_PID is 1, this process is');
  gateway.child.kill('SIGTERM');
  expect((await gateway.ended).code).toBe(0);
});

test('child processes do not inherit its variables', async () => {
  const gateway = serveOn(held, { DATABASE_URL: '' });
  await gateway.ready();
  const { pid } = gateway.child;
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ').filter(Boolean);
  expect(children).not.toEqual([]);
  for (const child of children)
    expect(await readFile(`/proc/${child}/environ`, 'utf8')).not.toMatch(/LISTEN_(FDS|PID)/);
  gateway.child.kill('SIGTERM');
  expect((await gateway.ended).code).toBe(0);
});

test('a file descriptor that is not a socket is refused in one sentence', async () => {
  const gateway = spawn(
    '/bin/sh',
    ['-c', `LISTEN_FDS=1 LISTEN_PID=$$ exec "${process.execPath}" "${MAIN}" serve --no-demo 3</dev/null`],
    { cwd: folder.path, env: { DATABASE_URL: database.url, DATA_DIR: folder.path } },
  );
  let stderr = '';
  gateway.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = await once(gateway, 'close');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/LISTEN_FDS: the passed file descriptor is no TCP socket/),
  });
});

test('a command for several processes is refused, with the alternative', async () => {
  const ENV = { DATABASE_URL: database.url };
  const option = await runHere(['serve', '--workers', '2'], ENV);
  expect(option).toMatchObject({ code: 2, stdout: '' });
  const variable = await runHere(['serve'], { ...ENV, WORKERS: '2' });
  expect(variable).toMatchObject({ code: 1, stdout: '' });
  for (const { stderr } of [option, variable])
    expect(stderr).toContain('start one for each core on an inherited socket (docs/scaling.md)');
  // The value without the variable.
  expect(await run(['doctor'], { ...ENV, WORKERS: '1' })).not.toMatchObject({
    stdout: expect.stringContaining('WORKERS'),
  });
});
