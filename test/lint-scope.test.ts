// What readers of the guides put into their clone is theirs: `npm test` neither lints nor type-checks it. The bench and the trials have
// commands of their own, which .ci/run runs.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** None of our files looks like this. */
const BAD = { '.json': '{"a":1,\n"b":2}', '.ts': 'export let a : any = "1"', '.mjs': 'console.log("1")' };
const THEIRS = [
  'product.json',
  'order.json',
  'erasures.json',
  'receiver.mjs',
  'sync.ts',
  'shop/src/main.ts',
  'shop/package.json',
];
/** Long runs, which an edit elsewhere does not concern. */
const LONG_RUNS = ['test/bench', 'test/trials'];
const OURS = ['src/a.ts', 'test/a.ts', 'deploy/a.ts', 'bin/a.mjs', 'codegen.ts', 'vitest.config.ts'];

test('our files are linted, files of guides are not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fg-lint-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = JSON.parse(await readFile(join(ROOT, 'biome.json'), 'utf8'));
  // There is no repository in this folder.
  await writeFile(join(folder, 'biome.json'), `${JSON.stringify({ ...config, vcs: { enabled: false } })}\n`);
  for (const name of [...THEIRS, ...OURS]) {
    const [ending = '.ts'] = /\.\w+$/.exec(name) ?? [];
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), BAD[ending as keyof typeof BAD]);
  }
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  const biome = join(ROOT, 'node_modules/.bin/biome');
  const failed = promisify(execFile)(biome, ['check', '--error-on-warnings', '--max-diagnostics=none'], {
    cwd: folder,
  });
  const { stdout, stderr } = await failed.catch((error: { stdout: string; stderr: string }) => error);
  const found = (names: readonly string[]) =>
    names.filter((name) => `${stdout}${stderr}`.includes(`${name}`));
  expect(found(THEIRS)).toEqual([]);
  expect(found(OURS)).toEqual(OURS);
});

test('the same files are type-checked', async () => {
  const { include } = JSON.parse(await readFile(join(ROOT, 'tsconfig.json'), 'utf8'));
  expect(include.filter((place: string) => place.startsWith('*') && place !== '*.config.ts')).toEqual([]);
});

test('only the bench and the trials are left to lint:all and typecheck:all, which check everything', async () => {
  const read = async (name: string) => JSON.parse(await readFile(join(ROOT, name), 'utf8'));
  const [edits, types, all] = await Promise.all(
    ['biome.edits.json', 'tsconfig.json', 'test/tsconfig.json'].map(read),
  );
  const { scripts } = await read('package.json');
  expect(edits.files.includes).toEqual(LONG_RUNS.map((folder) => `!${folder}`));
  expect(types.exclude).toEqual(['src/graphiql/app', ...LONG_RUNS]);
  expect(all.exclude).toEqual(['bench/peers', '../src/graphiql/app']);
  expect(scripts['lint:all']).not.toContain('--config-path');
  expect(scripts['typecheck:all']).toMatch(/typecheck && tsc -p test /);
  // What `npm test` has linted is not linted twice.
  expect(await readFile(join(ROOT, '.ci/run'), 'utf8')).toContain(
    `typecheck:all && npm run --silent lint:all -- ${LONG_RUNS.join(' ')}\n`,
  );
});
