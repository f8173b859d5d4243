#!/usr/bin/env -S node --max-semi-space-size=16 --initial-old-space-size=24 --no-allocation-site-pretenuring
// Starts the command line with the modules as V8 and the type stripping left them last time, which saves a third of a start.
// JavaScript, for a file of TypeScript that comes first would have the type stripping itself loaded, and for older Nodes
// that cannot even read it. Where the folder cannot be written, or NODE_DISABLE_COMPILE_CACHE=1 says so, nothing is kept.
// A package that `npm pack` made holds JavaScript in place of src/, for Node strips no types below node_modules.
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
