#!/usr/bin/env -S node --max-semi-space-size=16 --initial-old-space-size=24 --no-allocation-site-pretenuring
// Starts the command line with a cache of compiled and stripped modules, which makes the start a third faster. Nothing is cached if the
// folder is not writable, or with NODE_DISABLE_COMPILE_CACHE=1. This file is JavaScript, because TypeScript here would load the type
// stripping itself, and so that older Nodes can print the error below. A packed package has JavaScript in lib/ in place of src/, because
// Node strips no types below node_modules.
import { existsSync } from 'node:fs';
import module from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `Funnel Gateway needs Node ${NEEDED} or later, and this is ${process.version}. Install Node ${NEEDED}, or in a clone the development tools, which bring it: npm ci.\n`,
  );
  process.exit(1);
}
module.enableCompileCache(fileURLToPath(new URL('../.cache/compile', import.meta.url)));
const source = new URL('../src/main.ts', import.meta.url);
await import(existsSync(source) ? source.href : '../lib/main.js');
