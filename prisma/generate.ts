// Generates the Prisma client into src/store/generated, without a download: `prisma generate` looks for a schema
// engine binary first, never runs it, and is content with any existing file.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const schema = fileURLToPath(new URL('schema', import.meta.url));
const cli = fileURLToPath(new URL('node_modules/prisma/build/index.js', `file://${root}`));

const run = spawnSync(process.execPath, [cli, 'generate', '--schema', schema, '--no-hints'], {
  cwd: root,
  encoding: 'utf8',
  env: {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: cli,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  },
});
if (run.status !== 0) {
  process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}${run.error?.message ?? ''}\n`);
  process.exit(1);
}
