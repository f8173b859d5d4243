// A module that fails while it is evaluated can never be loaded again by its process: the process ends, and its supervisor starts another.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { cloneTemplate } from '../support/gateway.ts';
import { serve, stopServers } from './cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'funnel-gateway-broken-'));
const database = await cloneTemplate();
afterAll(async () => {
  await stopServers();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** The files that match cannot be loaded by the first process that tries. */
function brokenOnce(name: string, files: RegExp): Record<string, string> {
  const script = join(folder, `${name}.mjs`);
  const done = JSON.stringify(join(folder, `${name}.done`));
  writeFileSync(
    script,
    `import { openSync } from 'node:fs';
import { registerHooks } from 'node:module';
let isBroken = null;
registerHooks({
  load(url, context, next) {
    if (!${files}.test(url)) return next(url, context);
    if (isBroken === null) try { openSync(${done}, 'wx'); isBroken = true; } catch { isBroken = false; }
    return isBroken ? { format: 'module', source: "throw new Error('EMFILE: too many open files');", shortCircuit: true } : next(url, context);
  },
});`,
  );
  return { DATABASE_URL: database.url, JOBS: 'off', NODE_OPTIONS: `--import ${script}` };
}

test.each([
  ['the GraphQL API', /graphql-yoga/],
  ['the authorization server', /oidc-provider/],
])('%s: the process says why and ends with 1', async (name, files) => {
  const server = await serve(brokenOnce(name.replaceAll(' ', '-'), files));
  const { code, stderr } = await server.result;
  expect(stderr).toContain('this process cannot load it again: EMFILE');
  expect(code).toBe(1);
});
