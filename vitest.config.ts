import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** The one copy of graphql that Node itself resolves: with two, `instanceof GraphQLError` is silently false. */
export const resolve = {
  alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
};

export default defineConfig({
  resolve,
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // How long something takes is the machine's affair.
    expect: { poll: { timeout: 15_000 } },
    maxWorkers: 2,
    // Evaluating all modules anew for each file took a fifth of the run. A test file leaves no module changed.
    isolate: false,
  },
});
