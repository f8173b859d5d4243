// Runs after an install in a clone: generates the Prisma client, and bundles the explorer if the development tools are installed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The oldest Node that runs TypeScript, in which the build of the explorer is written. */
const NEEDED = 24;
const isInstalled = (name) =>
  createRequire(import.meta.url)
    .resolve.paths(name)
    ?.some((folder) => existsSync(`${folder}/${name}`));

// The two are independent. Both are awaited, so that neither still writes when the other fails.
const results = await Promise.allSettled([
  // Without Prisma's command (npm ci --omit=optional), as in a container's last stage, the client that was generated earlier is used.
  isInstalled('prisma') && generateClient(),
  isInstalled('vite') && Number.parseInt(process.versions.node, 10) >= NEEDED && buildExplorer(),
]);
for (const { reason } of results) if (reason !== undefined) throw reason;

/** Generates the client. Prints only a failure, which fails the install. npm puts Prisma's command into PATH. */
async function generateClient() {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const child = spawn('prisma generate', { cwd, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  const [status] = await once(child, 'close');
  if (status === 0) return;
  throw new Error(`prisma generate ended with ${status}:\n${output}`);
}

async function buildExplorer() {
  const { buildGraphiql } = await import('../src/graphiql/build.ts');
  await buildGraphiql();
}
