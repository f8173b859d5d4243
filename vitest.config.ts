import { defineConfig } from 'vitest/config';

export default defineConfig({
  // One copy of graphql: with two, `instanceof GraphQLError` is silently false.
  resolve: { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
