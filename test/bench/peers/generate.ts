// The stock stack's own Prisma client and Pothos types, made from the gateway's schema: the same tables, another client.
// Prisma looks for a schema engine binary first, never runs it, and is content with any existing file.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import { env, execPath, exit, stderr } from 'node:process';
import { fileURLToPath } from 'node:url';

const { PATH } = env;
const here = fileURLToPath(new URL('.', import.meta.url));
const folder = new URL('../../../prisma/schema/', import.meta.url);
const original = readdirSync(folder, { recursive: true })
  .filter((file) => file.endsWith('.prisma'))
  .map((file) => readFileSync(new URL(file, folder), 'utf8'))
  .join('\n');
const GENERATORS = `generator client {
  provider               = "prisma-client"
  output                 = "./client"
  runtime                = "nodejs"
  moduleFormat           = "esm"
  importFileExtension    = "ts"
  generatedFileExtension = "ts"
}

generator pothos {
  provider          = "prisma-pothos-types"
  clientOutput      = "./client/client.ts"
  output            = "./pothos-types.ts"
  generateDatamodel = true
  documentation     = false
}`;

mkdirSync(`${here}.cache`, { recursive: true });
const schema = `${here}.cache/schema.prisma`;
writeFileSync(
  schema,
  original
    .replace(/^generator client \{[^}]*\}/m, GENERATORS)
    // As it is, though no constraint says so: with it Prisma pages by the id alone, as its documentation has it.
    .replace(/^( {2}id +BigInt +)(?=@default\(dbgenerated)/gm, '$1@unique '),
);
const cli = `${here}node_modules/prisma/build/index.js`;
const run = spawnSync(execPath, [cli, 'generate', '--schema', schema, '--no-hints'], {
  cwd: here,
  encoding: 'utf8',
  env: {
    ...env,
    PATH: `${here}node_modules/.bin${delimiter}${PATH}`,
    PRISMA_SCHEMA_ENGINE_BINARY: schema,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  },
});
if (run.status !== 0) {
  stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}${run.error?.message ?? ''}\n`);
  exit(1);
}
