// `npm run test:nightly`: tests that take long, apart from `npm test`. `.ci/run` takes those of some folders, which it names.
import { defineConfig } from 'vitest/config';
import suite from '../../vitest.config.ts';

const { projects: _, ...shared } = suite.test ?? {};

export default defineConfig({
  ...suite,
  test: { ...shared, include: ['test/**/*.nightly.ts'], isolate: false },
});
