// Takes guards out of the code one at a time, in a copy of the project, and runs the tests that have to notice. A mutant that lives is a
// guarantee that no test holds. Takes some minutes. `npm run trial -- mutants TEXT` tries those alone whose guard has this text.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify, stripVTControlCharacters } from 'node:util';
import { say } from './say.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const { PATH = '' } = process.env;

interface Mutant {
  readonly guard: string;
  readonly file: string;
  /** Texts of the file, each of which stands there once, and what is put in their place. */
  readonly edits: readonly (readonly [text: string, other: string])[];
  /** Test files, below `test/`. */
  readonly tests: readonly string[];
}

const MUTANTS: readonly Mutant[] = [
  {
    guard: 'the owner of a page',
    file: 'src/store/reading/pages.ts',
    edits: [
      [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
        "`${isOwned(parents, '$parent_id', workspace)} and ${table.narrowed('$workspaces')}${provided",
        '`true${provided',
      ],
    ],
    tests: ['access-matrix', 'tenancy'],
  },
  {
    guard: 'the owner of an object by its id',
    file: 'src/store/reading/rows.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    edits: [["${table.owned('$team', '$workspaces', scope.workspace ?? undefined)}`,", 'true`,']],
    tests: ['access-matrix', 'tenancy'],
  },
  {
    guard: 'a page ends at the high-water mark',
    file: 'src/store/reading/pages.ts',
    edits: [['isWithin(read, rows, known.tables[table])', 'true']],
    tests: ['store/settled', 'store/settled-changes'],
  },
  {
    guard: 'a page that goes beyond the mark is cut there',
    file: 'src/store/reading/pages.ts',
    edits: [['high: isBelow ? high : { id: mark.id + 1n, value: null }', 'high']],
    tests: ['store/settled', 'store/settled-marks'],
  },
  {
    guard: 'the scope of a route',
    file: 'src/rest/router.ts',
    edits: [[': requireScope(ctx, scope);', ': requireCaller(ctx);']],
    tests: ['rest/scopes'],
  },
  {
    guard: 'the scope of a field',
    file: 'src/graphql/schema.ts',
    edits: [
      [
        'field.resolve = (source, args, ctx, info) => {\n    requireScope(ctx, scope);',
        'field.resolve = (source, args, ctx, info) => {',
      ],
    ],
    tests: ['graphql/access', 'access-matrix'],
  },
  {
    guard: 'If-Match',
    file: 'src/store/changing/steps.ts',
    edits: [['if (precondition?.(before.before) === false) throw preconditionFailed();', '']],
    tests: ['rest/conditional-changes'],
  },
  {
    guard: 'the first answer to an idempotency key',
    file: 'src/services/changing/mutate.ts',
    edits: [
      ['key && (await findFirstAnswer(ctx, by.tenancy, key.key_hash));', 'null as FirstAnswer | null;'],
    ],
    tests: ['rest/idempotency'],
  },
  {
    guard: 'the request of an idempotency key',
    file: 'src/services/changing/mutate.ts',
    edits: [['if (first.requestHash !== key.request_hash)', 'if (false)']],
    tests: ['rest/idempotency', 'parity-changes'],
  },
  {
    guard: 'a change in steps with a key that was claimed before',
    file: 'src/store/changing/changes.ts',
    edits: [['    requireUnclaimed(turn);\n    const commit', '    const commit']],
    tests: ['contacts-model', 'contacts-broken-connections'],
  },
  {
    guard: 'the first answer, where the change would be refused now',
    file: 'src/services/changing/mutate.ts',
    edits: [['if (error instanceof AppError && REFUSALS.has(error.code)) return error;', '']],
    tests: ['rest/idempotency', 'rest/split-removal-retries', 'rest/orders'],
  },
  {
    guard: 'the bytes of a body, counted',
    file: 'src/messages/body.ts',
    edits: [['    if (bytes > maxBytes) throw tooLarge();\n', '']],
    tests: ['rest/body'],
  },
  {
    guard: 'the bytes of a body, announced',
    file: 'src/messages/body.ts',
    edits: [['  if (Number(announced) > maxBytes) throw bodyTooLarge(maxBytes);\n', '']],
    tests: ['rest/body'],
  },
  {
    guard: 'the length of a text',
    file: 'src/services/input/parse-fields.ts',
    edits: [['if (length > maxLength)', 'if (false)']],
    tests: ['rest/contact-changes', 'graphql/mutations/contacts'],
  },
  {
    guard: 'the comparison of e-mail addresses',
    file: 'src/store/sql/email-key.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    edits: [['`lower(btrim(${sql}, ${WHITE_SPACE}))`', 'sql']],
    tests: ['store/email-key', 'rest/list-filters'],
  },
  {
    guard: 'what an audit entry withholds',
    file: 'src/services/accounts/audit-entries.ts',
    edits: [
      ['return needed !== undefined && coversScope(requireCaller(ctx).scopes, needed);', 'return true;'],
    ],
    tests: ['rest/audit-entries', 'graphql/audit'],
  },
  {
    guard: 'the second line, of workspaces that a caller is narrowed to',
    file: 'src/store/tenancy/row-owners.ts',
    edits: [
      [
        '        if (own === false) refuse(name, tenancy);\n        if (own === undefined && id',
        '        if (own === undefined && id',
      ],
    ],
    tests: ['store/row-owners', 'second-line'],
  },
  {
    guard: 'the second line, of teams',
    file: 'src/store/tenancy/row-owners.ts',
    edits: [['    if (wanted.some((id) => !own.has(id))) refuse(name, tenancy);\n', '']],
    tests: ['store/row-owners', 'second-line'],
  },
  {
    guard: 'the kind of a cursor',
    file: 'src/cursors.ts',
    edits: [
      ['if (!text.startsWith(prefix)) return null;', ''],
      ['text.slice(prefix.length)', "text.slice(text.indexOf(':') + 1)"],
      [
        'if (position === null || (cursor !== encoded && cursor !== padded(encoded)))',
        'if (position === null || encoded === "")',
      ],
    ],
    tests: ['pagination', 'graphql/connections'],
  },
  {
    guard: 'the names of filters',
    file: 'src/rest/list-filters.ts',
    edits: [
      [
        '    if (property === undefined)\n      throw blaming',
        '    if (property === undefined) continue;\n    if (property === null)\n      throw blaming',
      ],
    ],
    tests: ['rest/list-filters'],
  },
  {
    guard: 'the depth of an operation',
    file: 'src/graphql/limits/operation-limits.ts',
    edits: [['if (depth > maxQueryDepth) {', 'if (false) {']],
    tests: ['graphql/limits/limits'],
  },
  {
    guard: 'the cost of an operation',
    file: 'src/graphql/limits/operation-limits.ts',
    edits: [['if (rows > maxQueryCost) {', 'if (false) {']],
    tests: ['graphql/limits/limits'],
  },
  {
    guard: 'an event of somebody erased is not shown',
    file: 'src/store/sql/erased.ts',
    edits: [
      [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
        'return `exists (select from ${erasureOf(alias, workspace)} and x.events_through >= ${alias}.id and ${condition} offset 0)`;',
        "return 'false';",
      ],
    ],
    tests: ['services/erasures', 'store/contact-erasure'],
  },
  {
    guard: 'a webhook leads to no private network',
    file: 'src/services/webhooks/webhook-urls.ts',
    edits: [['return isAllowedHost(hostname, allowed)\n    ? null', 'return true\n    ? null']],
    tests: ['services/webhook-urls', 'rest/webhook-endpoints'],
  },
  {
    guard: 'the signature of a webhook covers its body',
    file: 'src/jobs/delivery/signatures.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    edits: [['.update(`${timestamp}.`).update(body)', '.update(`${timestamp}.`)']],
    tests: ['jobs/signatures'],
  },
  {
    guard: 'changes run as the role of tenants',
    file: 'src/store/tenancy/tenant-role.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template.
    edits: [["select set_config('role', '${TENANT_ROLE}', true), set_config", 'select set_config']],
    tests: ['store/tenant-role', 'second-line'],
  },
  {
    guard: 'a body of unknown members alone',
    file: 'src/services/input/parse-fields.ts',
    edits: [['if (Object.keys(given).length === 0) {', 'if (false) {']],
    tests: ['services/parse-fields', 'rest/meaningless-bodies'],
  },
  {
    guard: 'the most rows of a page',
    file: 'src/rest/page-query.ts',
    edits: [['return Math.min(Number(text), MAX_PAGE_SIZE);', 'return Number(text);']],
    tests: ['rest/page-parameters', 'rest/walks'],
  },
  {
    guard: 'the limit of requests without credentials',
    file: 'src/services/limits/rate-limits.ts',
    edits: [
      [
        'if (credentials === null) return chargeNetwork(request, toNetwork(client.address), 1);',
        'if (credentials === null) return undefined;',
      ],
    ],
    tests: ['http/rate-limits'],
  },
];

const wanted = MUTANTS.filter(({ guard }) => guard.includes(process.argv[3] ?? ''));
const folder = await mkdtemp(join(tmpdir(), 'fg-mutants-'));
try {
  await copyProject();
  const tests = new Set(wanted.flatMap((mutant) => mutant.tests));
  if (!(await pass([...tests]))) throw new Error('The tests fail without any mutant.');
  let alive = 0;
  for (const mutant of wanted) {
    const begun = performance.now();
    const lives = await isAlive(mutant);
    if (lives) alive += 1;
    say(
      `${lives ? 'ALIVE ' : 'killed'} ${mutant.guard} (${((performance.now() - begun) / 1_000).toFixed(1)} s)`,
    );
  }
  say(`${wanted.length - alive} killed, ${alive} alive`);
  if (alive > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** @throws Error where the code does not have what is to be replaced, once */
async function isAlive({ guard, file, edits, tests }: Mutant): Promise<boolean> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  let changed = text;
  for (const [from, to] of edits) {
    if (changed.split(from).length !== 2) throw new Error(`${guard}: ${file} has not once: ${from}`);
    changed = changed.replace(from, () => to);
  }
  await writeFile(path, changed);
  try {
    return await pass(tests);
  } finally {
    await writeFile(path, text);
  }
}

async function pass(tests: readonly string[]): Promise<boolean> {
  const env = { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}${delimiter}${PATH}` };
  const files = tests.map((name) => `test/${name}.test.ts`);
  return run('vitest', ['run', '--bail=1', ...files], { cwd: folder, env, maxBuffer: 1e8 }).then(
    () => true,
    ({ stdout }: { stdout: string }) => {
      // A file that cannot be read, or no test at all, shows nothing.
      if (!/Tests .*[1-9]\d* failed/.test(stripVTControlCharacters(stdout)))
        throw new Error(`No test failed, and yet:\n${stdout.slice(-3_000)}`);
      return false;
    },
  );
}

async function copyProject(): Promise<void> {
  const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  for (const file of stdout.trim().split('\n')) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await cp(join(ROOT, file), join(folder, file));
  }
  for (const made of ['node_modules', 'generated', 'build', 'test/generated'])
    await symlink(join(ROOT, made), join(folder, made));
}
