// Adds the made-up nouns of docs/CONTRIBUTING.md to a copy of the project, as they are printed there, runs the checks that every noun has
// to pass, and leads a gadget through its life over both faces. The copy has our node_modules, and is removed.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { blocksOf, read } from '../docs/markdown.ts';
import { leadGadgets } from './gadget-life.ts';
import { startGateway } from './gateway-process.ts';
import { say } from './say.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { PATH = '' } = process.env;

const [, recipe = ''] = read('docs/CONTRIBUTING.md').split('\n## Adding a noun\n');

/** The files whose text is printed, in the order of printing. */
const FILES = [
  'src/resources/gadgets.ts',
  'prisma/schema/gadgets.prisma',
  'src/store/demo/data/rows/gadgets.json',
  'src/store/demo/data/rows/gadget_parts.json',
];

/** Lines that the text tells to put somewhere: file, the line that they go behind, and the line. */
const PRINTED: readonly (readonly [file: string, behind: RegExp, line: string])[] = [
  ['prisma/schema/workspaces.prisma', /^model Workspace \{$/m, 'gadgets Gadget[]'],
  ['prisma/schema/images.prisma', /^model Image \{$/m, 'gadgets Gadget[]'],
  ['src/resources/nouns.ts', /^ {2}image,$/m, 'gadgetPart,'],
  ['src/resources/nouns.ts', /^ {2}image,$/m, 'gadget,'],
];

/** What the text leaves to whoever reads it: imports. */
const KNOWN: readonly (readonly [file: string, behind: RegExp, line: string])[] = [
  ['src/resources/nouns.ts', /^import .*pages\.ts';$/m, "import { gadget, gadgetPart } from './gadgets.ts';"],
];

/** Tests of all nouns together. */
const WHOLE = [
  ...['layers', 'schema', 'access-matrix'].map((name) => `test/${name}.test.ts`),
  'test/resources',
  ...['keys', 'ids', 'migration-rules', 'contact-erasure'].map((name) => `test/store/${name}.test.ts`),
  ...['test/rest/openapi.test.ts', 'test/graphql/nodes.test.ts'],
];
/** Tests that have rows for each noun: those of the gadget are run. */
const ROWS = [
  ...['tenancy', 'second-line', 'parity-changes', 'store/noun-plans', 'graphql/look-ups'],
  ...['scopes', 'methods', 'entity-tags', 'hostile-input', 'hostile-bodies', 'meaningless-bodies'].map(
    (name) => `rest/${name}`,
  ),
].map((name) => `test/${name}.test.ts`);

const folder = await mkdtemp(join(tmpdir(), 'fg-recipe-'));
try {
  await copyProject();
  await step('the next number of a noun', showLastNumber);
  await step('the files and lines of the recipe', applyRecipe);
  await step('npm run generate', () => npm('run', '--silent', 'generate'));
  await step('migrate create', createMigration);
  await step('npm run codegen', () => npm('run', '--silent', 'codegen'));
  await step('types', () => npm('run', '--silent', 'typecheck'));
  await step('format and lint', () =>
    npm('exec', '--', 'biome', 'check', '--write', '--error-on-warnings', 'src'),
  );
  await step('the life of a gadget', liveGadgets);
  await step('tests of all nouns', () => npm('exec', '--', 'vitest', 'run', ...WHOLE));
  await step('its rows in the others', runRows);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function step(name: string, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await work();
  say(`${name}: done in ${((performance.now() - begun) / 1000).toFixed(1)} s`);
}

/** @throws Error with all that it said, when it fails */
async function npm(...args: string[]): Promise<void> {
  const env = {
    PATH: `${join(folder, 'node_modules/.bin')}${delimiter}${PATH}`,
    HOME: folder,
    DATA_DIR: join(folder, 'data'),
  };
  await run('npm', args, { cwd: folder, env, maxBuffer: 1e8 }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`npm ${args.join(' ')} failed:\n${error.stdout}\n${error.stderr}`);
    },
  );
}

/** Over a gateway of the copy, with the demo's data. */
async function liveGadgets(): Promise<void> {
  const gateway = await startGateway({}, folder);
  try {
    await leadGadgets(gateway.origin, gateway.key);
  } finally {
    await gateway.stop();
  }
}

async function copyProject(): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  for (const file of stdout.trim().split('\n')) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, file));
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await run('git', ['init', '-q'], { cwd: folder });
}

/** @throws Error where the command that the text prints shows no number, or one that the printed nouns have */
async function showLastNumber(): Promise<void> {
  const [, command] = /\(`(grep [^`]*)` shows the last one/.exec(recipe) ?? [];
  if (command === undefined) throw new Error('The recipe does not print how to find the last number.');
  const { stdout } = await run('bash', ['-c', command], { cwd: folder });
  const [, last] = /^number: (\d+)n\n$/.exec(stdout) ?? [];
  if (last === undefined)
    throw new Error(`${command}: expected the last number, got ${JSON.stringify(stdout)}.`);
  const printed = [...recipe.matchAll(/^ +number: (\d+)n,$/gm)].map(([, number]) => Number(number));
  if (printed.some((number) => number <= Number(last)))
    throw new Error(
      `The recipe prints the numbers ${printed.join(', ')}, and there are nouns up to ${last}.`,
    );
}

async function applyRecipe(): Promise<void> {
  const blocks = blocksOf(recipe).map(({ text }) => text);
  for (const [i, file] of FILES.entries()) {
    if (!recipe.includes(`\`${file}\``)) throw new Error(`The recipe does not name ${file}.`);
    await writeFile(join(folder, file), blocks[i] ?? '');
  }
  for (const [file, behind, line] of PRINTED) {
    if (!recipe.includes(`\`${line}\``)) throw new Error(`The recipe does not print ${line}.`);
    await insert(file, behind, line);
  }
  for (const [file, behind, line] of KNOWN) await insert(file, behind, line);
}

async function insert(file: string, behind: RegExp, line: string): Promise<void> {
  await edit(file, (text) => {
    if (!behind.test(text)) throw new Error(`${file} has no line ${behind}.`);
    return text.replace(behind, (found) => `${found}\n${line}`);
  });
}

async function edit(file: string, change: (text: string) => string): Promise<void> {
  await writeFile(join(folder, file), change(await readFile(join(folder, file), 'utf8')));
}

/** @throws Error where a test fails, or has no row for the gadget */
async function runRows(): Promise<void> {
  const file = join(folder, 'rows.json');
  // The first says what failed.
  const report = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  await npm('exec', '--', 'vitest', 'run', ...ROWS, '-t', '[Gg]adget', ...report);
  interface Results {
    readonly testResults: readonly { name: string; assertionResults: readonly { status: string }[] }[];
  }
  const { testResults } = JSON.parse(await readFile(file, 'utf8')) as Results;
  const rows = testResults.map(({ name, assertionResults }) => ({
    name: relative(folder, name),
    passed: assertionResults.filter(({ status }) => status === 'passed').length,
  }));
  const without = ROWS.filter((test) => !rows.some(({ name, passed }) => name === test && passed > 0));
  if (without.length > 0) throw new Error(`No row of a gadget: ${without.join(', ')}.`);
  say(rows.map(({ name, passed }) => `  ${name}: ${passed}`).join('\n'));
}

/** Not through npx: the command in our node_modules is the one of the project, not of the copy. */
async function createMigration(): Promise<void> {
  await npm('exec', '--', 'node', 'bin/funnel-gateway.js', 'migrate', 'create', '--name', 'add_gadgets');
}
