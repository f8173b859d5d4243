// Compiled operations compared with graphql's own executor, over a schema with features that the real one rarely uses: they write the same
// data and the same errors for what is refused, or throw, which leaves the operation to the executor.
import fc from 'fast-check';
import {
  buildSchema,
  execute,
  type GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getVariableValues,
  isAbstractType,
  isObjectType,
  Kind,
  parse,
  validate,
} from 'graphql';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { AppError, notFound } from '../../../src/errors.ts';
import type { GraphContext } from '../../../src/graphql/context.ts';
import { compileOperation } from '../../../src/graphql/fast-path/compile.ts';
import { type Columns, rowMaker } from '../../../src/rows/columns.ts';
import { times } from '../../support/nightly.ts';
import { toBlock } from '../../support/row-block.ts';

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown) => unhandled.push(reason);
beforeAll(() => {
  process.on('unhandledRejection', onUnhandled);
  return () => process.off('unhandledRejection', onUnhandled);
});
afterEach(expectNoneUnhandled);

/** The promises of a test that reject later. */
const late: Promise<unknown>[] = [];

/** Waits until they have rejected, and until Node has reported the rejections that nobody handled, which it does behind the microtasks. */
async function settled(): Promise<void> {
  await Promise.allSettled(late.splice(0));
  await new Promise((resolve) => setImmediate(resolve));
}

async function expectNoneUnhandled(): Promise<void> {
  await settled();
  expect(unhandled.splice(0).map((reason) => (reason instanceof Error ? reason.stack : reason))).toEqual([]);
}

const SDL = `
  enum Color { RED GREEN }
  interface Named { name: String! self: Named other: Thing }
  type Thing implements Named {
    name: String! self: Named other: Thing
    text: String must: String! number: Int fraction: Float flag: Boolean color: Color id: ID
    texts: [String] musts: [String!]! grid: [[Int!]]
    thing: Thing mustThing: Thing! things: [Thing] mustThings: [Thing!]!
    named: Named mustNamed: Named! nameds: [Named!] either: Either eithers: [Either]
    with(text: String = "default", numbers: [Int!], color: Color): String
  }
  type Place implements Named { name: String! self: Named other: Thing place: String! }
  union Either = Thing | Place
  type Query { thing: Thing mustThing: Thing! named: Named either: Either things: [Thing!] with(text: String = "default", numbers: [Int!], color: Color): String }
`;

/** Resolvers of some fields; the others use the default resolver. */
type Resolvers = Readonly<Record<string, GraphQLFieldResolver<unknown, unknown>>>;

function schemaOf(
  resolvers: Resolvers = {},
  change: (schema: GraphQLSchema) => void = () => {},
): GraphQLSchema {
  const schema = buildSchema(SDL);
  for (const type of Object.values(schema.getTypeMap())) {
    if (isAbstractType(type)) type.resolveType = (value) => (value as { is?: string }).is ?? 'Thing';
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      const resolve = resolvers[`${type.name}.${field.name}`] ?? resolvers[field.name];
      if (resolve !== undefined) field.resolve = resolve;
    }
  }
  change(schema);
  return schema;
}

interface Outcome {
  /** The executor's answer; null where anything in it failed and was not refused. */
  readonly expected: string | null;
  /** The compiled operation's output; null where it threw or was not compiled. */
  readonly written: string | null;
}

async function run(
  schema: GraphQLSchema,
  query: string,
  given: Record<string, unknown> = {},
): Promise<Outcome> {
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION);
  if (operation === undefined) throw new Error('no operation');
  const { data, errors } = await execute({ schema, document, variableValues: given });
  const isExpected = errors === undefined || errors.every(isRefusal);
  const expected = isExpected ? answerOf(errors ?? [], stringify({ data })) : null;
  if (errors !== undefined) await settled();
  // From here on only the compiled operation may cause unhandled rejections.
  unhandled.length = 0;
  const compiled = compileOperation(schema, document, operation);
  const { variableValues } = getVariableValues(schema, operation.variableDefinitions ?? [], given);
  if (compiled === null || variableValues === undefined) return { expected, written: null };
  try {
    const written = await compiled(CTX, variableValues, 10_000_000);
    return { expected, written: answerOf(written.errors, written.bytes.toString()) };
  } catch {
    return { expected, written: null };
  } finally {
    await expectNoneUnhandled();
  }
}

/** The part of a context that compiled operations use themselves. */
const CTX = { signal: new AbortController().signal } as GraphContext;

function isRefusal({ originalError }: GraphQLError): boolean {
  return originalError instanceof AppError;
}

/** The data with the errors, whose order is the one in which promises happen to be settled. */
function answerOf(errors: readonly GraphQLError[], data: string | null): string | null {
  const texts = errors.map((error) => JSON.stringify(error)).sort();
  return texts.length === 0 ? data : `${data} ${texts.join(' ')}`;
}

/** null where a value has no JSON. */
function stringify(data: unknown): string | null {
  try {
    return JSON.stringify(data);
  } catch {
    return null;
  }
}

/** Requires the executor's output, or none. */
function agree({ expected, written }: Outcome): void {
  if (written !== null) expect(written).toBe(expected);
}

async function agreeAndWritten(outcome: Promise<Outcome>): Promise<void> {
  const { expected, written } = await outcome;
  expect(expected).not.toBeNull();
  expect(written).toBe(expected);
}

const fail = (message = 'no') => Promise.reject(new Error(message));
function failLater(ms = 1): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  // The test waits for the timer, not for the promise: that would handle the rejection.
  late.push(new Promise<void>((resolve) => setTimeout(() => resolve(reject(new Error('late'))), ms)));
  return promise;
}
const thing = (fields: object = {}) => ({
  name: 'a "thing"\n',
  must: 'm',
  musts: [],
  mustThings: [],
  ...fields,
});
const of = (value: unknown): Resolvers => ({ 'Query.thing': () => value });

describe('an error anywhere gives no output:', () => {
  const cases: Record<string, [query: string, thing: () => unknown]> = {
    'null where there must be text': ['{ thing { text must } }', () => thing({ must: null })],
    'nothing where there must be text': ['{ thing { must } }', () => ({})],
    'null that comes later': ['{ thing { must } }', () => thing({ must: Promise.resolve(null) })],
    'null for an object that must be': [
      '{ thing { thing { mustThing { text } } } }',
      () => thing({ thing: thing() }),
    ],
    'null in a list of texts': ['{ thing { musts } }', () => thing({ musts: ['a', null] })],
    'null in a list of objects': [
      '{ thing { mustThings { text } } }',
      () => thing({ mustThings: [thing(), null] }),
    ],
    'null in a list in a list': ['{ thing { grid } }', () => thing({ grid: [[1], [2, null]] })],
    'a failed field': ['{ thing { text } }', () => thing({ text: fail() })],
    'two failed siblings': ['{ thing { text number } }', () => thing({ text: fail(), number: fail() })],
    'siblings that fail later': [
      '{ thing { text number must } }',
      () => thing({ text: failLater(1), number: failLater(2), must: null }),
    ],
    'a sibling before a failure at once': [
      '{ thing { text must } }',
      () => thing({ text: failLater(), must: null }),
    ],
    'a failed member': ['{ thing { texts } }', () => thing({ texts: ['a', fail(), 'b'] })],
    'two failed members': ['{ thing { texts } }', () => thing({ texts: [fail(), 'a', fail()] })],
    'a member that fails behind a bad one': [
      '{ thing { musts } }',
      () => thing({ musts: [null, fail(), failLater()] }),
    ],
    'an object that fails behind a bad one': [
      '{ thing { things { must } } }',
      () => thing({ things: [thing({ must: null }), fail()] }),
    ],
    'an error as value': ['{ thing { text } }', () => thing({ text: new Error('a value') })],
    'an error as object': ['{ thing { thing { text } } }', () => thing({ thing: new Error('a value') })],
    'an error as member': [
      '{ thing { things { text } } }',
      () => thing({ things: [thing(), new Error('a value')] }),
    ],
    'an error that comes later': [
      '{ thing { thing { text } } }',
      () => thing({ thing: Promise.resolve(new Error('a value')) }),
    ],
    'text that is no list': ['{ thing { texts } }', () => thing({ texts: 'abc' })],
    'a number that is no list': ['{ thing { texts } }', () => thing({ texts: 1 })],
    'an object that is no list': ['{ thing { texts } }', () => thing({ texts: {} })],
    'text that is no number': ['{ thing { number } }', () => thing({ number: 'x' })],
    'a number too large': ['{ thing { number } }', () => thing({ number: 2 ** 40 })],
    'no number': ['{ thing { fraction } }', () => thing({ fraction: Number.NaN })],
    'an unknown value of an enum': ['{ thing { color } }', () => thing({ color: 'BLUE' })],
    'an object as text': ['{ thing { text } }', () => thing({ text: {} })],
    'an unknown type': ['{ thing { named { name } } }', () => thing({ named: { is: 'Nobody', name: 'n' } })],
    'a type that is not one of the union': [
      '{ thing { either { __typename } } }',
      () => thing({ either: { is: 'Query' } }),
    ],
    'a failed root': ['{ thing { text } }', () => fail()],
    'a root that throws': [
      '{ thing { text } }',
      () => {
        throw new Error('at once');
      },
    ],
  };
  test.each(Object.entries(cases))('%s', async (_name, [query, value]) => {
    const outcome = await run(schemaOf({ 'Query.thing': value }), query);
    expect(outcome).toEqual({ expected: null, written: null });
  });

  test('lists of promises that arrive after a refused sibling has set null', async () => {
    const schema = schemaOf({
      'Query.thing': () => ({ thing: {} }),
      texts: async () => ['a', fail()],
      grid: async () => [[1], [fail()]],
      must: () => {
        throw notFound('The thing');
      },
    });
    await agreeAndWritten(run(schema, '{ thing { thing { texts grid must } } }'));
  });

  test('resolvers that throw, of fields and of types', async () => {
    const throws = () => {
      throw new Error('at once');
    };
    for (const resolvers of [
      { text: throws },
      { text: () => fail(), number: throws },
      { number: throws, text: () => failLater() },
    ]) {
      const schema = schemaOf({ ...of(thing()), ...resolvers });
      expect(await run(schema, '{ thing { text number } }')).toEqual({ expected: null, written: null });
    }
    const schema = schemaOf(
      of({ ...thing({ named: { name: 'n' } }), nameds: () => [{ name: 'n' }, fail()] }),
      (changed) => {
        const named = changed.getType('Named');
        if (isAbstractType(named)) named.resolveType = throws;
      },
    );
    for (const query of ['{ thing { named { name } } }', '{ thing { nameds { name } } }']) {
      expect(await run(schema, query)).toEqual({ expected: null, written: null });
    }
  });

  test('an object that claims another type', async () => {
    const schema = schemaOf(of(thing({ named: { is: 'Place', name: 'n' } })), (changed) => {
      const place = changed.getType('Place');
      if (isObjectType(place)) place.isTypeOf = () => false;
    });
    expect(await run(schema, '{ thing { named { name } } }')).toEqual({ expected: null, written: null });
  });
});

describe('unusual values are written as the executor does, or not at all:', () => {
  const thenable = (value: unknown) =>
    Object.fromEntries([['then', (resolve: (value: unknown) => void) => resolve(value)]]);
  const cases: Record<string, [query: string, thing: () => unknown]> = {
    'a thenable for text': ['{ thing { text } }', () => thing({ text: thenable('later') })],
    'a thenable for an object': [
      '{ thing { thing { text } } }',
      () => thing({ thing: thenable({ text: 't' }) }),
    ],
    'a thenable for a list': ['{ thing { texts } }', () => thing({ texts: thenable(['t']) })],
    'a thenable in a list': [
      '{ thing { things { text } } }',
      () => thing({ things: [thenable({ text: 't' })] }),
    ],
    'a thenable from a resolver': ['{ thing { text } }', () => thenable({ text: 't' })],
    'a method': ['{ thing { text } }', () => ({ text: () => 'called' })],
    'a method of a class': [
      '{ thing { text thing { text } } }',
      () =>
        new (class {
          readonly #secret = 'called';
          text() {
            return this.#secret;
          }
          async thing() {
            return { text: this.#secret };
          }
        })(),
    ],
    'other iterables': ['{ thing { texts } }', () => ({ texts: new Set(['a', 'b']) })],
    'an iterable that comes later': [
      '{ thing { texts } }',
      () => ({
        texts: (async function* () {
          yield 'a';
        })(),
      }),
    ],
    'a hole in a list': ['{ thing { texts } }', () => ({ texts: Array(2) })],
    'values of another kind': [
      '{ thing { text number fraction flag id color } }',
      () => ({ text: 12, number: true, fraction: '1.5', flag: 0, id: 7n, color: 'RED' }),
    ],
    'objects for scalars': [
      '{ thing { text id } }',
      () => ({ text: Object('boxed'), id: { valueOf: () => 'v' } }),
    ],
    'keys of objects': [
      '{ thing { __proto__: text constructor: must toJSON: text } }',
      () => thing({ text: 't' }),
    ],
    'text for an object': ['{ thing { thing { text } } }', () => ({ thing: 'text' })],
    'a type name that comes later': [
      '{ thing { named { name } } }',
      () => ({ named: thing({ is: Promise.resolve('Thing') }) }),
    ],
  };
  test.each(Object.entries(cases))('%s', async (_name, [query, value]) => {
    agree(await run(schemaOf({ 'Query.thing': value }), query));
  });
});

describe('fields are collected as in the executor:', () => {
  const data = () =>
    thing({
      text: 't',
      color: 'GREEN',
      thing: thing({ text: 'inner', number: 1 }),
      named: { is: 'Place', name: 'p', place: 'here', other: thing() },
      nameds: [
        thing({ text: 'x' }),
        Promise.resolve({ is: 'Place', name: 'p', place: 'there', self: thing() }),
      ],
      either: { is: 'Place', name: 'e', place: 'either' },
      eithers: [thing(), null, Promise.resolve({ is: 'Place', place: 'e' })],
      things: [thing({ text: 'one' }), null, thing()],
      grid: [[1, 2], null, []],
      texts: ['a', null],
    });
  test.each([
    '{ thing { text a: text text color texts grid musts } }',
    '{ thing { thing { text } a: text thing { number text } } thing { thing { must } } }',
    '{ thing { ...A thing { ...A } } } fragment A on Thing { text ...B } fragment B on Thing { must thing { number } }',
    '{ thing { ... on Named { name ... on Place { place } } ... { text } } }',
    '{ thing { named { ... on Thing { text } } } }',
    '{ thing { named { ... on Thing { text } ... on Place { place name } __typename } } }',
    '{ thing { nameds { __typename name ...T ... on Place { place self { __typename ...T } } } } } fragment T on Thing { text things { text } }',
    '{ thing { either { ... on Named { name } ... on Thing { text } } } }',
    '{ thing { eithers { __typename ... on Place { place } ... on Thing { must } } things { text must } } }',
    '{ thing { named { other { ... on Named { ... on Place { place } } } } } }',
    '{ __typename thing { __typename a: __typename } b: __typename }',
    '{ thing { ...__proto__ ...constructor } } fragment __proto__ on Thing { text } fragment constructor on Thing { must }',
    'query Named { thing { text } }',
  ])('%s', async (query) => {
    await agreeAndWritten(run(schemaOf({ 'Query.thing': data }), query));
  });

  test('arguments, by literals, variables, defaults and nulls', async () => {
    const shown: GraphQLFieldResolver<unknown, unknown> = (_source, args) => JSON.stringify(args);
    const schema = schemaOf({ with: shown });
    const query = `query ($t: String, $d: String = "of the variable", $n: [Int!], $i: Int = 3, $c: Color = GREEN) {
      a: with b: with(text: null) c: with(text: $t) d: with(text: $d) e: with(numbers: $n) f: with(numbers: [1, $i])
      g: with(color: $c) h: with(color: RED, numbers: 1) i: with(text: "\\"kind\\":\\"Variable\\"") }`;
    for (const given of [{}, { t: 'x', d: null, n: [1, 2], c: 'RED' }, { t: null, n: 5, i: 4, nope: 1 }]) {
      await agreeAndWritten(run(schema, query, given));
    }
    // 1 and null: only the execution decides.
    expect((await run(schema, query, { i: null })).written).toBeNull();
  });

  test.each([
    'query ($yes: Boolean!) { thing { text @include(if: $yes) must } }',
    'query ($yes: Boolean!) { thing { ... @skip(if: $yes) { text } must } }',
    'query ($yes: Boolean!) { thing { ...A @skip(if: $yes) must } } fragment A on Thing { text }',
  ])('%s', async (query) => {
    for (const yes of [true, false]) {
      agree(await run(schemaOf({ 'Query.thing': data }), query, { yes }));
    }
  });

  test('a document that expands into very many fields is not compiled', async () => {
    const level = (n: number) =>
      `fragment F${n} on Thing { ${Array.from({ length: 8 }, (_, i) => `a${i}: thing { ...F${n + 1} }`).join(' ')} }`;
    // If all of them were compiled, this would not end.
    const query = `{ thing { ...F0 } } ${[...Array(12).keys()].map(level).join(' ')} fragment F12 on Thing { text }`;
    const { written } = await run(schemaOf(of(null)), query);
    expect(written).toBeNull();
  });

  test('mutations and introspection are not compiled', async () => {
    const schema = schemaOf();
    expect((await run(schema, '{ __schema { queryType { name } } }')).written).toBeNull();
    expect((await run(schema, '{ __type(name: "Thing") { name } with }')).written).toBeNull();
  });
});

test('columns are written from the bytes of their rows', async () => {
  const columns = {
    whole: 'int8',
    small: 'int4',
    words: 'text',
    flag: 'bool',
    at: 'timestamp',
    data: 'jsonb',
    list: 'text[]',
    ids: 'int8[]',
  } as const satisfies Columns;
  const maker = rowMaker<object>(columns);
  const make = (fields: (string | null)[]) => maker(toBlock(fields), 0);
  const rows = [
    make([
      '9007199254740993',
      '-5',
      'RED',
      't',
      '2026-01-31 09:30:00.5+00',
      '{"a": [1, "b"]}',
      '{RED,"a b"}',
      '{1,2}',
    ]),
    make(['12', '7', 'say "hi"\n\u2028\u007f', 'f', '2026-01-31 09:30:00+00', 'null', '{}', '{}']),
    make([null, null, null, null, null, null, null, null]),
  ];
  const types = ['String', 'ID', 'Int', 'Float', 'Boolean', 'Color', 'BigInt', 'DateTime', 'JSON'];
  const fields = Object.keys(columns).flatMap((column) =>
    types.flatMap((type) => [
      `${column}As${type}: ${type}`,
      `${column}Must${type}: ${type}!`,
      `${column}List${type}: [${type}]`,
    ]),
  );
  const { schema: ours } = await import('../../../src/graphql/schema.ts');
  const schema = buildSchema(`
    scalar BigInt scalar DateTime scalar JSON enum Color { RED GREEN }
    type Row { ${fields.join(' ')} } type Query { row: Row }`);
  for (const name of ['BigInt', 'DateTime', 'JSON']) {
    Object.assign(schema.getType(name) as object, {
      coerceOutputValue: (ours.getType(name) as unknown as { coerceOutputValue: unknown }).coerceOutputValue,
    });
  }
  const row = schema.getType('Row');
  const { row: root } = schema.getQueryType()?.getFields() ?? {};
  if (!isObjectType(row) || root === undefined) throw new Error('no type');
  let written = 0;
  for (const [name, field] of Object.entries(row.getFields())) {
    const column = name.replace(/(As|Must|List)[A-Z].*$/, '');
    field.extensions = { pothosExposedField: column };
    // The executor reads properties by the name of the field.
    for (const source of rows) {
      Object.defineProperty(source, name, { get: () => Reflect.get(source, column) });
      root.resolve = () => source;
      const outcome = await run(schema, `{ row { ${name} } }`);
      if (outcome.expected === null) expect([name, outcome.written]).toEqual([name, null]);
      if (outcome.written !== null) written++;
      if (outcome.written !== null) expect([name, outcome.written]).toEqual([name, outcome.expected]);
    }
  }
  expect(written).toBeGreaterThan(300);
});

describe('any data', () => {
  const QUERY = `{
    thing { ...All thing { ...All } things { ...All } mustThing { ...All } mustThings { must text } named { ...Any } nameds { ...Any } eithers { ...Any } }
  }
  fragment All on Thing { name text number fraction flag color id texts musts grid either { ...Any } }
  fragment Any on Named { __typename name ... on Place { place } ... on Thing { must self { __typename name } } }`;

  /** Half of the fields with resolvers. */
  const resolvers: Resolvers = Object.fromEntries(
    ['text', 'number', 'texts', 'thing', 'things', 'named', 'eithers', 'must'].map((name) => [
      `Thing.${name}`,
      (source: unknown) => Reflect.get(source as object, name),
    ]),
  );

  const INVALID = [{ fails: 1 }, { failsLater: 1 }, { error: 1 }, Number.NaN, {}, 'x', []];
  const REFUSALS = [{ refused: 1 }, { refused: 2 }, { refusedAtOnce: 1 }];

  /** A value, mostly valid, mostly no promise. */
  function some(good: fc.Arbitrary<unknown>, bad: number, wrong: unknown[]): fc.Arbitrary<unknown> {
    return fc.oneof(
      { arbitrary: good, weight: 100 - bad },
      { arbitrary: good.map((value) => ({ later: value })), weight: 25 },
      { arbitrary: fc.constantFrom(null), weight: wrong === REFUSALS ? 0 : bad / 2 },
      { arbitrary: fc.constantFrom(...wrong), weight: bad / 2 },
    );
  }

  const things = (bad: number, wrong: unknown[] = INVALID) =>
    fc.letrec((tie) => {
      const object = fc.oneof({ maxDepth: 3, depthIdentifier: 'thing' }, tie('leafy'), tie('thing'));
      const list = (of: fc.Arbitrary<unknown>) =>
        some(fc.array(some(of, bad, wrong), { maxLength: 3 }), bad, wrong);
      const texts = fc.constantFrom('a', '"', 'ü\n', '');
      const plain = {
        name: some(texts, bad, wrong),
        must: some(texts, bad, wrong),
        text: some(texts, bad, wrong),
        number: some(fc.nat(9), bad, wrong),
        fraction: some(fc.constantFrom(0.5, 1e21, -0), bad, wrong),
        flag: some(fc.boolean(), bad, wrong),
        color: some(fc.constantFrom('RED', 'GREEN'), bad, wrong),
        id: some(fc.constantFrom('i', 5), bad, wrong),
        texts: list(texts),
        musts: list(texts),
        grid: list(fc.array(fc.nat(3), { maxLength: 2 })),
        is: fc.constantFrom('Thing', 'Thing', 'Place'),
        place: some(texts, bad, wrong),
      };
      return {
        leafy: fc.record({
          ...plain,
          mustThing: fc.constant({ name: 'n', musts: [] }),
          mustThings: fc.constant([]),
        }),
        thing: fc.record({
          ...plain,
          thing: some(object, bad, wrong),
          mustThing: some(object, bad, wrong),
          things: list(object),
          mustThings: list(object),
          named: some(object, bad, wrong),
          nameds: list(object),
          eithers: list(object),
          either: some(object, bad, wrong),
          self: some(object, bad, wrong),
        }),
      };
    }).thing;

  /** Promises are created on access, since nothing handles those of fields that are not selected. */
  function live(value: unknown): unknown {
    if (Array.isArray(value)) {
      // Where a member throws, nobody would handle the promise of another.
      const isThrown = (member: unknown) =>
        typeof member === 'object' && member !== null && 'refusedAtOnce' in member;
      live(value.flat(2).find(isThrown));
      return value.map(live);
    }
    if (typeof value !== 'object' || value === null) return value;
    if ('refusedAtOnce' in value) throw notFound('The thing');
    if ('refused' in value) return Promise.reject(notFound(`Thing ${value.refused}`));
    if ('fails' in value) return fail();
    if ('failsLater' in value) return failLater();
    if ('error' in value) return new Error('a value');
    if ('later' in value) return Promise.resolve(value.later).then(live);
    const object = {};
    for (const [key, held] of Object.entries(value)) {
      Object.defineProperty(object, key, { enumerable: true, get: () => live(held) });
    }
    return object;
  }

  test('with refusals anywhere', async () => {
    const schema = (value: unknown) => schemaOf({ ...resolvers, 'Query.thing': () => live(value) });
    let written = 0;
    await fc.assert(
      fc.asyncProperty(things(4, REFUSALS), async (value) => {
        const outcome = await run(schema(value), QUERY);
        agree(outcome);
        if (outcome.written?.includes('not found')) written++;
      }),
      { numRuns: times(150), endOnFailure: true },
    );
    // The others have a promise that is refused where there must be a value: they are left to the executor.
    expect(written).toBeGreaterThan(times(15));
  });

  test.each([0, 4])('with %i %% invalid values', async (bad) => {
    const schema = (value: unknown) => schemaOf({ ...resolvers, 'Query.thing': () => live(value) });
    let written = 0;
    await fc.assert(
      fc.asyncProperty(things(bad), async (value) => {
        const outcome = await run(schema(value), QUERY);
        if (outcome.written !== null) written++;
        agree(outcome);
        if (outcome.expected === null) expect(outcome.written).toBeNull();
      }),
      { numRuns: times(60), endOnFailure: true },
    );
    if (bad === 0) expect(written).toBeGreaterThan(times(30));
  });
});

describe('long answers', () => {
  const QUERY = '{ thing { texts things { name things { text } } mustThings { text } } }';
  const long = (i: number) => `${i} `.repeat(10_000);
  const some = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
  const longThing = () =>
    thing({
      texts: some(60, long),
      things: some(10, () => thing({ things: some(12, (j) => thing({ text: long(j) })) })),
      mustThings: some(60, (i) => Promise.resolve(thing({ text: long(i) }))),
    });

  test('are written in several event loop ticks, with the same result', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    const schema = schemaOf(of(longThing()));
    // The executor's own answer does not count.
    const { expected } = await run(schema, QUERY);
    const document = parse(QUERY);
    const [operation] = document.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
    const compiled = compileOperation(schema, document, operation);
    count();
    const written = await compiled?.(CTX, { sources: {}, coerced: {} } as never, 10_000_000);
    isOver = true;
    expect(written?.bytes.toString()).toBe(expected);
    // Of half a megabyte each.
    expect(written?.bytes.length).toBeGreaterThan(4_000_000);
    expect(turns).toBeGreaterThan(8);
  });

  test('fail as short ones do, whatever a later tick still has to write', async () => {
    const failing = {
      ...longThing(),
      mustThings: some(60, (i) => (i > 40 ? fail() : Promise.resolve(thing({ text: long(i) })))),
    };
    const { written } = await run(schemaOf({ 'Query.thing': () => failing }), QUERY);
    expect(written).toBeNull();
  });
});
