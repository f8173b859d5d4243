// Outputs that cannot be written, such as a full disk or a closed terminal: a gateway continues to serve, a command reports that it
// failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { cloneTemplate } from '../support/gateway.ts';
import { MAIN, temporaryFolder } from './cli.ts';

const database = await cloneTemplate();
const folder = await temporaryFolder();
afterAll(async () => {
  await database.drop();
  await folder.remove();
});

const FULL = openSync('/dev/full', 'w');
const launch = (args: readonly string[], stdio: ('ignore' | 'pipe' | number)[]) =>
  spawn(process.execPath, [MAIN, ...args], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'], DATABASE_URL: database.url, PORT: '0' },
    stdio,
  });

test('a gateway whose log cannot be written answers', async () => {
  const child = launch(['serve', '--json'], ['ignore', 'pipe', FULL]);
  const closed = once(child, 'close');
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line');
  const { rest } = JSON.parse(line) as { rest: string };
  // More lines than a process buffers.
  for (let count = 0; count < 100; count++)
    expect((await fetch(`${rest}/${'a'.repeat(280)}`, { headers: { Connection: 'close' } })).status).toBe(
      404,
    );
  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
});

test('a command whose result cannot be written fails in a sentence', async () => {
  const child = launch(['schema'], ['ignore', FULL, 'pipe']);
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said).toBe('What was to be printed could not be written (ENOSPC).\n');
});
