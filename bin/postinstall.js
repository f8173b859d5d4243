// After an install in a clone: generates the Prisma client, and bundles the explorer where the development tools are there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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

// Neither needs what the other makes, and neither is left writing when the other fails.
const made = await Promise.allSettled([
  // Without the command (npm ci --omit=optional) what was generated earlier is used, as in a container's last stage.
  isInstalled('prisma') && generateClient(),
  isInstalled('vite') && Number.parseInt(process.versions.node, 10) >= NEEDED && buildExplorer(),
]);
for (const { reason } of made) if (reason !== undefined) throw reason;

/** Says nothing unless it fails, which fails the install. npm has put the command into PATH. */
async function generateClient() {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const child = spawn('prisma generate', { cwd, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  const [status] = await once(child, 'close');
  if (status === 0) return;
  throw new Error(`prisma generate ended with ${status}:\n${said}`);
}

async function buildExplorer() {
  const { buildGraphiql } = await import('../src/graphiql/build.ts');
  await buildGraphiql();
}
