// What `npm pack` does before and after it packs, once the Prisma client and the explorer's bundle are made. Before: JavaScript from src/
// into lib/, and beside the TypeScript of the Prisma client, for Node strips no types below node_modules; and a package.json for whoever
// installs the package: with the command, and without what only a clone needs. After (`restore`): the clone as it was.
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

/** Of the clone's package.json; the rest is for developers, or links the command where npx finds it fast. */
const ONLY_IN_CLONES = [
  ...['private', 'scripts', 'allowScripts', 'overrides', 'knip'],
  ...['devDependencies', 'optionalDependencies'],
];

/** What the program reads beside its modules: files and folders below src/ that are no TypeScript. */
export const READ_AT_RUN_TIME = ['http/favicon.ico', 'rest/openapi.md'];

/** The package.json of the package that is made of the clone's. */
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
  // A pack that was interrupted has left its own.
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
