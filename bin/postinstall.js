// After an install in a clone: generates the Prisma client, and bundles the explorer where the development tools are there.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { generateClient } from '../prisma/generate.js';

/** The Node that reads TypeScript, which the build of the explorer is written in. */
const NEEDED = 24;
const isInstalled = (name) =>
  createRequire(import.meta.url)
    .resolve.paths(name)
    ?.some((folder) => existsSync(`${folder}/${name}`));

// Without the generator (npm ci --omit=optional) what was generated earlier is used, as in a container's last stage.
if (isInstalled('@prisma/client-generator-ts')) await generateClient();
if (isInstalled('vite') && Number.parseInt(process.versions.node, 10) >= NEEDED) {
  const { buildGraphiql } = await import('../src/graphiql/build.ts');
  await buildGraphiql();
}
