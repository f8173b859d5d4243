// A file that cannot be opened for lack of file handles does not count as missing.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const FOLDER = new URL('../../../src/store/embedded/', import.meta.url);

/** Checks in a process without free file handles. */
async function askWithoutHandles(module: string, question: string): Promise<string> {
  const script = `
    import { openSync } from 'node:fs';
    import * as asked from ${JSON.stringify(new URL(module, FOLDER))};
    try { for (;;) openSync('/dev/null'); } catch {}
    const answer = await asked.${question}.then(String, ({ code }) => code);
    process.stdout.write(answer);`;
  const run = [process.execPath, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)('prlimit', ['--nofile=64', ...run]);
  return stdout;
}

test.each([
  ['trust.ts', `readSmallFile('/etc/hostname')`],
  ['postmaster.ts', `isServerOf('/nowhere', ${process.pid})`],
])('%s: %s', async (module, question) => {
  expect(await askWithoutHandles(module, question)).toBe('EMFILE');
});
