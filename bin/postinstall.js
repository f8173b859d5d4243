// After an install in a clone: generates the Prisma client, and bundles the explorer where the development tools are there.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The Node that reads TypeScript, which the build of the explorer is written in. */
const NEEDED = 24;
const isInstalled = (name) =>
  createRequire(import.meta.url)
    .resolve.paths(name)
    ?.some((folder) => existsSync(`${folder}/${name}`));

// Without the command (npm ci --omit=optional) what was generated earlier is used, as in a container's last stage.
if (isInstalled('prisma')) generateClient();
if (isInstalled('vite') && Number.parseInt(process.versions.node, 10) >= NEEDED) {
  const { buildGraphiql } = await import('../src/graphiql/build.ts');
  await buildGraphiql();
}

/** Says nothing unless it fails, which fails the install. npm has put the command into PATH. */
function generateClient() {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const { status, stdout, stderr } = spawnSync('prisma generate', { cwd, shell: true, encoding: 'utf8' });
  if (status === 0) return;
  process.stderr.write(`prisma generate ended with ${status}:\n${stdout}${stderr}`);
  process.exit(1);
}
