// `npm run test:nightly`: tests that take long, apart from `npm test`. `.ci/run` takes those of some folders, which it names.
import { defineConfig } from 'vitest/config';
import suite from '../../vitest.config.ts';

export default defineConfig({
  ...suite,
  test: { ...suite.test, include: ['test/**/*.nightly.ts'] },
});
