// What is installed without development tools, and what `npm pack` puts into the package: what production needs, and no more.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { packedManifest, READ_AT_RUN_TIME } from '../deploy/pack.ts';
import { nightly } from './support/nightly.ts';
import { readSources } from './support/sources.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Files for the development tools alone. */
const DEVELOPMENT = ['graphiql/build.ts', 'store/migrations/engine.ts'];
const clone = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8'));

test('the gateway imports only packages that are installed without development tools', async () => {
  const sources = (await readSources()).filter(({ path }) => !DEVELOPMENT.includes(path));
  const packages = sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ own, typeOnly, from }) => !own && !typeOnly && !/^(node:|#)/.test(from))
      .map(({ from }) => ({ path, name: /^(@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? '' })),
  );
  expect(packages.length).toBeGreaterThan(20);
  expect(packages.filter(({ name }) => !(name in clone.dependencies))).toEqual([]);
});

test('between releases the version is a pre-release of the next one, so that no two states of the code share one', async () => {
  const changes = await readFile(`${ROOT}CHANGELOG.md`, 'utf8');
  const [, unreleased = '', released = ''] =
    /^## \[Unreleased\]\n(.*?)^## \[([\d.]+)\]/ms.exec(changes) ?? [];
  const { version } = clone;
  if (unreleased.trim() === '') expect(version).toBe(released);
  else expect(version).toMatch(/^\d+\.\d+\.\d+-dev$/);
  const order = (text: string) =>
    text
      .split('-')[0]
      ?.split('.')
      .map((part) => part.padStart(5, '0'))
      .join('.') ?? '';
  if (unreleased.trim() !== '') expect(order(version) > order(released)).toBe(true);
  const lock = JSON.parse(await readFile(`${ROOT}package-lock.json`, 'utf8'));
  expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
});

test("Prisma's migration engine is in one file, which the gateway never loads while it runs", async () => {
  const sources = await readSources();
  const importing = (name: RegExp) =>
    sources.filter(({ imports }) => imports.some(({ from }) => name.test(from))).map(({ path }) => path);
  expect(importing(/^@prisma\/(schema-engine-wasm|driver-adapter-utils)/)).toEqual([
    'store/migrations/engine.ts',
  ]);
  expect(importing(/^store\/migrations\/engine\.ts$/)).toEqual(['store/migrations/create.ts']);
  expect(importing(/^store\/migrations\/create\.ts$/)).toEqual(['commands/migrate.ts']);
  expect(sources.find(({ path }) => path === 'store/migrations/create.ts')?.text).toContain(
    "await import('./engine.ts')",
  );
  expect(importing(/^(prisma\b|@prisma\/(internals|client-generator|engines))/)).toEqual([]);
});

test('the package has the command and its imports, and no scripts or links of the clone', () => {
  const packed = packedManifest(clone);
  expect(packed).toMatchObject({
    name: 'funnel-gateway',
    bin: { 'funnel-gateway': 'bin/funnel-gateway.js' },
  });
  for (const absent of ['scripts', 'devDependencies', 'optionalDependencies', 'private', 'knip'])
    expect(packed).not.toHaveProperty(absent);
  expect(Object.values(packed.dependencies).filter((version) => version.startsWith('file:'))).toEqual([]);
  expect(packed.dependencies).toHaveProperty('pg');
  expect(packed.imports).toEqual({ '#prisma': './generated/prisma/client.js' });
});

test('the package has every file that a module reads at run time, generated and built ones too', async () => {
  const sources = (await readSources()).filter(({ path }) => path !== 'graphiql/build.ts');
  const read = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/new URL\('(\.[^']+)', import\.meta\.url\)/g)].map(([, file = '']) =>
      posix.join('src', posix.dirname(path), file).replace(/\/$/, ''),
    ),
  );
  const inSource = read.filter((path) => path.startsWith('src/'));
  expect(inSource.map((path) => path.slice('src/'.length)).sort()).toEqual(READ_AT_RUN_TIME);
  for (const path of ['openapi.json', 'build/graphiql']) {
    expect(read).toContain(path);
    expect(clone.files).toContain(path);
  }
  expect(clone.files).toContain(`${posix.dirname(clone.imports['#prisma']).slice(2)}/**/*.js`);
});

nightly(
  'the package carries the command, the migrations, the contracts and the guides; no source, no test, no secret',
  async () => {
    const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
    const { stdout } = await promisify(execFile)('npm', args, { cwd: ROOT });
    const [{ files }] = Object.values(JSON.parse(stdout)) as [{ files: { path: string }[] }];
    const paths = files.map(({ path }) => path).filter((path) => !/^(lib|generated|build)\//.test(path));
    for (const needed of [
      'bin/funnel-gateway.js',
      'openapi.json',
      'schema.graphql',
      'LICENSE',
      'docs/deploying.md',
    ])
      expect(paths).toContain(needed);
    const allowed =
      /^(package\.json|[A-Z]+(\.md)?|bin\/funnel-gateway\.js|openapi\.json|schema\.graphql|prisma\/(schema|migrations)\/.+|docs\/.+|deploy\/[\w-]+\.(json|yml|service))$/;
    expect(paths.filter((path) => !allowed.test(path))).toEqual([]);
  },
);
