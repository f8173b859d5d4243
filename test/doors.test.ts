// The doors to the database, each for a reason (docs/CONTRIBUTING.md): the files that open connections and transactions, and what the layers
// above the store use of them.
import { expect, test } from 'vitest';
import { readSources } from './support/sources.ts';

/** By reason, the functions that the layers above the store and its own rooms use. */
const DOORS = {
  'a read for a caller': ['readRows', 'scanRows'],
  'a look-up before the caller is known': ['lookup'],
  'a change of one row of a noun': ['changesOf'],
  'a change of several steps': ['execute'],
  'steps for a caller that leave no record': ['executeUnrecorded', 'queryAs'],
  'the operator or a job, without a caller': [
    ...['query', 'withPrisma', 'withTransaction', 'inTransaction', 'transactionOn'],
  ],
};

/** The files of the doors, with all that they export to be called. `execute` and `executeUnrecorded` are told how to open by two of them. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  'store/reading/reads.ts': ['readRows', 'scanRows'],
  'store/reading/lookup.ts': ['lookup'],
  'store/changing/changes.ts': ['changesOf', 'execute', 'executeUnrecorded'],
  'store/changing/transactions.ts': [
    ...['beginChange', 'lockTimeout', 'requireNotAborted', 'withModels', 'withSql', 'withTransaction'],
  ],
  'store/changing/pipeline.ts': ['beginPipeline', 'queryAs'],
  'store/store.ts': ['createStore', 'query', 'requireReads', 'withPrisma'],
  'store/connections/executor.ts': ['executorOf', 'inOrder', 'inTransaction', 'transactionOn'],
};

const sources = await readSources();

test('there are six doors to the database, and their files export no other access to it', () => {
  expect(Object.keys(DOORS)).toHaveLength(6);
  const exported = Object.keys(FILES).map((path) => {
    const code = sources.find((source) => source.path === path)?.code ?? '';
    const names = [...code.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)];
    return [path, names.map(([, name]) => name).sort()];
  });
  expect(Object.fromEntries(exported)).toEqual(FILES);
  const offered = Object.values(FILES).flat();
  expect(
    Object.values(DOORS)
      .flat()
      .filter((name) => !offered.includes(name)),
  ).toEqual([]);
});

/** What opens a transaction, or a connection for one. */
const OPENING: Readonly<Record<string, { readonly by: RegExp; readonly only: readonly string[] }>> = {
  'a transaction of a caller': { by: /\bbeginPipeline\(/, only: ['store/changing/'] },
  'a transaction with models': {
    by: /\$transaction\(/,
    only: ['store/changing/transactions.ts', 'store/demo/'],
  },
  "Prisma's client": {
    by: /\.loadPrisma\(/,
    only: ['store/store.ts', 'store/traced-store.ts', 'http/listener.ts', 'http/server.ts'],
  },
  'how a change opens its transaction': {
    by: /\b(withSql|withModels)\b/,
    only: ['services/', 'store/changing/', 'store/orders/'],
  },
};

test.each(Object.entries(OPENING))('%s is used only in its own place', (_what, { by, only }) => {
  const openers = sources.filter(({ code }) => by.test(code)).map(({ path }) => path);
  expect(openers.length).toBeGreaterThan(0);
  expect(openers.filter((path) => !only.some((place) => path.startsWith(place)))).toEqual([]);
});

test('services for callers open no connection without a door, except for the operator or a person', () => {
  const beside = sources.filter(
    ({ path, code }) =>
      /^(services|graphql|rest|oauth|http)\//.test(path) &&
      !path.startsWith('services/operator/') &&
      // Hono's `c.req.query()` reads the address of a request.
      /(?<!\breq\.)\b(withPrisma|withTransaction|transactionOn|query)\(/.test(code),
  );
  expect(beside.map(({ path }) => path)).toEqual([]);
});
