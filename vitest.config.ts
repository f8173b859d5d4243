import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The one copy of graphql that Node itself resolves: with two, `instanceof GraphQLError` is silently false. */
export const resolve = {
  alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
};

/** The folder of what the tests make: in memory where there is room, since copies of a database are thousands of files. */
function temporaryFolder(): string {
  const inMemory = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(inMemory);
    accessSync(inMemory, constants.W_OK | constants.X_OK);
    return bavail * bsize >= 6 * 2 ** 30 ? inMemory : tmpdir();
  } catch {
    return tmpdir();
  }
}

// Workers, and commands that tests start, inherit it.
process.env['TMPDIR'] ??= temporaryFolder();

/** Tests that put other modules in place of ours. */
const OWN_MODULES = [
  'test/made-up-children.test.ts',
  'test/made-up-noun.test.ts',
  'test/http/loading.test.ts',
  'test/store/prisma-loading.test.ts',
];

export default defineConfig({
  resolve,
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/compare-texts.ts', 'test/support/setup.ts'],
    // How long something takes is the machine's affair: these end what hangs, also where others keep the processors busy.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // One more than the processors of the smallest machine: tests of processes and of time wait much.
    maxWorkers: 4,
    silent: 'passed-only',
    projects: [
      // Evaluating all modules anew for each file took a fifth of the run. A test file leaves no module changed.
      {
        extends: true,
        test: {
          name: 'shared modules',
          include: ['test/**/*.test.ts'],
          // The bench's peers bring tests of their own.
          exclude: ['**/node_modules/**', ...OWN_MODULES],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'own modules', include: OWN_MODULES } },
    ],
  },
});
