// The browser tests: apart from `npm test`, since they need Debian's Chromium.
import { defineConfig } from 'vitest/config';
import { resolve } from '../../vitest.config.ts';

export default defineConfig({
  resolve,
  test: {
    include: ['test/browser/*.browser.ts'],
    globalSetup: ['test/browser/build-explorer.ts', 'test/support/global-setup.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // Three browsers share the processors.
    expect: { poll: { timeout: 15_000 } },
    // One more than the processors of the smallest machine: a page waits much, for what it draws and for what it stores later.
    maxWorkers: 3,
    isolate: false,
  },
});
