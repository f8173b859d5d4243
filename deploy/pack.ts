// Runs before and after `npm pack`, once the Prisma client and the explorer's bundle are built. Before, it compiles src/ to JavaScript in
// lib/, and the Prisma client to JavaScript next to its TypeScript, because Node strips no types below node_modules; and it writes the
// package.json for users of the package: with the command, and without entries for a clone. After (`restore`), it restores the clone.
import { spawnSync } from 'node:child_process';
import { cp, glob, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildInfo } from '../src/output/build-info.ts';

type Manifest = Record<string, unknown> & {
  dependencies: Record<string, string>;
  imports: Record<string, string>;
};

const root = fileURLToPath(new URL('..', import.meta.url));
const at = (path: string) => join(root, path);
const MANIFEST = at('package.json');
const KEPT = at('.cache/package.json');
const COMPILED = at('.cache/compiled');
const CLIENT = 'generated/prisma';

/** Entries of the clone's package.json that the package does not need: for developers, or for npx to find the command fast. */
const ONLY_IN_CLONES = [
  ...['private', 'scripts', 'allowScripts', 'overrides', 'knip'],
  ...['devDependencies', 'optionalDependencies'],
];

/** The files and folders below src/ that the program reads at run time and that are not TypeScript. */
export const READ_AT_RUN_TIME = ['http/favicon.ico', 'rest/openapi.md', 'store/demo/data'];

/** Makes the package's package.json from the clone's. */
export function packedManifest(clone: Manifest): Manifest {
  const { 'funnel-gateway-command': _, ...dependencies } = clone.dependencies;
  const kept = Object.fromEntries(Object.entries(clone).filter(([key]) => !ONLY_IN_CLONES.includes(key)));
  return {
    ...kept,
    engines: { node: '>=24' },
    bin: { 'funnel-gateway': 'bin/funnel-gateway.js' },
    imports: Object.fromEntries(
      Object.entries(clone.imports).map(([name, file]) => [name, file.replace(/\.ts$/, '.js')]),
    ),
    dependencies,
  };
}

async function prepare(): Promise<void> {
  await removeCompiled();
  compile();
  await rename(join(COMPILED, 'src'), at('lib'));
  await cp(join(COMPILED, CLIENT), at(CLIENT), { recursive: true });
  for (const path of READ_AT_RUN_TIME) await cp(at(`src/${path}`), at(`lib/${path}`), { recursive: true });
  // Keeps the saved copy if an interrupted pack has left its own package.json here.
  if ('scripts' in (await read(MANIFEST))) {
    await mkdir(at('.cache'), { recursive: true });
    await cp(MANIFEST, KEPT);
  }
  const { commit } = buildInfo();
  const manifest = { ...packedManifest(await read(KEPT)), ...(commit !== '' && { gitHead: commit }) };
  await writeFile(MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`);
}

async function read(file: string): Promise<Manifest> {
  return JSON.parse(await readFile(file, 'utf8')) as Manifest;
}

function compile(): void {
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', at('deploy')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('src/ could not be compiled: see above.');
}

async function restore(): Promise<void> {
  await rename(KEPT, MANIFEST);
  await removeCompiled();
}

async function removeCompiled(): Promise<void> {
  for (const path of [at('lib'), COMPILED]) await rm(path, { recursive: true, force: true });
  for await (const file of glob('**/*.js', { cwd: at(CLIENT) })) await rm(join(at(CLIENT), file));
}

if (import.meta.main) await (process.argv[2] === 'restore' ? restore() : prepare());
