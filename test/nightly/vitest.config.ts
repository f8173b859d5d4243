// `npm run test:nightly`: tests that take long, apart from `npm test`, and those that take samples there with all values.
// `.ci/run` takes those that protect data, and all with `--night`.
import { globSync, readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import suite from '../../vitest.config.ts';

const { projects: _, ...shared } = suite.test ?? {};
const inPart = globSync('test/**/*.test.ts').filter((path) =>
  /support\/nightly\.ts|sampleOperations|sampleMutations/.test(readFileSync(path, 'utf8')),
);

export default defineConfig({
  ...suite,
  test: {
    ...shared,
    include: ['test/**/*.nightly.ts', ...inPart],
    isolate: false,
    env: { NIGHTLY: 'yes' },
    // All values of a place take minutes.
    testTimeout: 1_800_000,
  },
});
