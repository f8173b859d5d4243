// A module that fails while it is evaluated can never be loaded again by its process: the process ends, and its supervisor starts another.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { cloneTemplate } from '../support/gateway.ts';
import { nightly } from '../support/nightly.ts';
import { serve, stopServers } from './cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'funnel-gateway-broken-'));
const database = await cloneTemplate();
afterAll(async () => {
  await stopServers();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** The authorization server's library cannot be loaded by the first process that tries. */
function brokenOnce(name: string): Record<string, string> {
  const script = join(folder, `${name}.cjs`);
  const done = JSON.stringify(join(folder, `${name}.done`));
  writeFileSync(
    script,
    `const Module = require('node:module');
const { openSync } = require('node:fs');
const load = Module._extensions['.js'];
let isBroken = null;
Module._extensions['.js'] = function (module, file) {
  if (!/node_modules.koa.lib/.test(file)) return load(module, file);
  if (isBroken === null) try { openSync(${done}, 'wx'); isBroken = true; } catch { isBroken = false; }
  if (isBroken) throw Object.assign(new Error('EMFILE: too many open files, open ' + file), { code: 'EMFILE' });
  return load(module, file);
};`,
  );
  return { DATABASE_URL: database.url, JOBS: 'off', NODE_OPTIONS: `--require ${script}` };
}

test('the process says why and ends with 1', async () => {
  const server = await serve(brokenOnce('single'));
  const { code, stderr } = await server.result;
  expect(stderr).toContain('this process cannot load it again: EMFILE');
  expect(code).toBe(1);
});

nightly('of several workers, this one is replaced', async () => {
  const server = await serve(brokenOnce('workers'), ['--workers', '2']);
  const isReady = async () => (await fetch(new URL('/readyz', server.rest))).status === 200;
  await vi.waitFor(() => expect(server.output.stderr).toContain('it is replaced'), { timeout: 60_000 });
  await vi.waitFor(async () => {
    for (let request = 0; request < 8; request += 1) expect(await isReady()).toBe(true);
  }, 60_000);
});
