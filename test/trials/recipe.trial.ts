// Adds the made-up noun of docs/CONTRIBUTING.md to a copy of the project, as it is printed there, runs the checks that every noun has
// to pass, and leads a note through its life over both faces. The copy has our node_modules, and is removed.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { blocksOf, proseOf, read } from '../docs/markdown.ts';
import { startGateway } from './gateway-process.ts';
import { leadNotes } from './note-life.ts';
import { say } from './say.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { PATH = '' } = process.env;

const [, recipe = ''] = read('docs/CONTRIBUTING.md').split('\n## Adding a noun\n');

/** The files whose text is printed, in the order of printing; the last block goes to the end of a file that is there. */
const FILES = [
  'prisma/schema/notes.prisma',
  'src/resources/notes.ts',
  'src/services/notes.ts',
  'src/rest/notes.ts',
  'src/graphql/notes.ts',
];
const FACTORIES = 'test/support/factories.ts';
const OPERATIONS = 'test/support/operations.ts';

/** Lines that the text tells to put somewhere: file, the line that they go behind, and the line. */
const PRINTED: readonly (readonly [file: string, behind: RegExp, line: string])[] = [
  ['prisma/schema/contacts.prisma', /^model Contact \{$/m, 'notes Note[]'],
  ['src/store/sql/public-ids.ts', /^ {2}webhook_deliveries: 16n,$/m, 'notes: 17n,'],
  ['src/resources/event-types.ts', /^ {4}contact: .*,$/m, "note: 'created updated deleted',"],
  [
    'src/store/reading/tables.ts',
    /^export const CONTACTS[\s\S]*?;$/m,
    "export const NOTES = tableOf(note, below(contact, 'contact_id'));",
  ],
  ['src/services/audit-entries.ts', /^ {2}\[contact, 'contacts:read'\],$/m, "[note, 'contacts:read'],"],
  ['src/rest/router.ts', /^ {2}\.\.\.contactRoutes,$/m, '...noteRoutes,'],
  ['src/graphql/schema.ts', /^import '.\/contacts.ts';$/m, "import './notes.ts';"],
  [OPERATIONS, /^ {2}readonly contact: Named;$/m, 'readonly note: Named;'],
  [OPERATIONS, /^ {4}contact,$/m, 'note: await factories.note(app, { workspaceId, contactId: contact.id }),'],
  [
    OPERATIONS,
    /^export const OPERATIONS.*$/m,
    "...lifeOf('note', '/api/v2/contacts/:contact_id/notes', '/api/v2/notes', { note: { body: 'New' } }),",
  ],
  ['test/graphql/nodes.test.ts', /^ {4}Contact: tenant\.contact\.id,$/m, 'Note: tenant.note.id,'],
];

/** What the text leaves to whoever reads it: imports. */
const KNOWN: readonly (readonly [file: string, behind: RegExp, line: string])[] = [
  [
    'src/services/audit-entries.ts',
    /^import .*funnel-steps\.ts';$/m,
    "import { note } from '../resources/notes.ts';",
  ],
  [
    'src/store/reading/tables.ts',
    /^import .*funnels\.ts';$/m,
    "import { note } from '../resources/notes.ts';",
  ],
  ['src/rest/router.ts', /^import .*funnels\.ts';$/m, "import { noteRoutes } from './notes.ts';"],
];

/** The tests that a noun is held to. */
const TESTS = [
  ...['test/layers.test.ts', 'test/schema.test.ts', 'test/parity.test.ts', 'test/tenancy.test.ts'],
  ...[
    'test/resources',
    'test/store/keys.test.ts',
    'test/store/migrations.test.ts',
    'test/graphql/nodes.test.ts',
  ],
  ...['openapi', 'scopes', 'documented-answers', 'unserved-parameters', 'entity-tags'].map(
    (name) => `test/rest/${name}.test.ts`,
  ),
  ...['test/rest/audit-entries.test.ts', 'test/store/contact-erasure.test.ts'],
];

const folder = await mkdtemp(join(tmpdir(), 'fg-recipe-'));
try {
  await copyProject();
  await step('the files and lines of the recipe', applyRecipe);
  await step('npm run generate', () => npm('run', '--silent', 'generate'));
  await step('migrate create', createMigration);
  await step('npm run codegen', () => npm('run', '--silent', 'codegen'));
  await step('types', () => npm('run', '--silent', 'typecheck'));
  await step('format and lint', () => npm('exec', '--', 'biome', 'check', '--write', '--error-on-warnings'));
  await step('the life of a note', liveNotes);
  await step('tests', () => npm('exec', '--', 'vitest', 'run', ...TESTS));
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
async function liveNotes(): Promise<void> {
  const gateway = await startGateway({}, folder);
  try {
    await leadNotes(gateway.origin, gateway.key);
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

async function applyRecipe(): Promise<void> {
  const blocks = blocksOf(recipe).map(({ text }) => text);
  for (const [i, file] of FILES.entries()) {
    if (!recipe.includes(`\`${file}\``)) throw new Error(`The recipe does not name ${file}.`);
    await writeFile(join(folder, file), blocks[i] ?? '');
  }
  await edit(FACTORIES, (text) => `${text}\n${blocks[FILES.length]}`);
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

/** Writes the migration, and puts into it what the recipe says that Prisma cannot. */
async function createMigration(): Promise<void> {
  // Not through npx: the command in our node_modules is the one of the project, not of the copy.
  await npm('exec', '--', 'node', 'bin/funnel-gateway.js', 'migrate', 'create', '--name', 'add_notes');
  const migrations = await readdir(join(folder, 'prisma/migrations'));
  const name = migrations.find((each) => each.endsWith('_add_notes'));
  if (name === undefined) throw new Error('No migration was written.');
  const [before, line, behind, opening] = [
    'create sequence notes_id_seq;',
    '"public_id" text not null generated always',
    'alter sequence',
    'call open_to_tenants',
  ].map(
    (start) =>
      [...proseOf(recipe).matchAll(/`([^`]+)`/g)]
        .map(([, span = '']) => span)
        .find((span) => span.startsWith(start)) ?? '',
  );
  await edit(`prisma/migrations/${name}/migration.sql`, (sql) =>
    sql
      .replace(/^CREATE TABLE/m, `${before}\n\nCREATE TABLE`)
      .replace(/^ *"public_id".*$/m, `    ${line}`)
      .replace(/^\);$/m, `);\n\n${behind}\n${opening}`),
  );
}
