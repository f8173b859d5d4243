// Compiled trusted documents stay in the cache, whatever else is compiled (src/graphql/fast-path/fast-path.ts).
import { buildSchema, type DocumentNode, type OperationDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../src/config/config.ts';
import type { GraphContext } from '../../../src/graphql/context.ts';
import { createFallbackCounter } from '../../../src/graphql/fast-path/fallback-counter.ts';
import { createFastPath, type Params } from '../../../src/graphql/fast-path/fast-path.ts';
import { createAnswerSlots } from '../../../src/graphql/limits/large-answers.ts';
import { LongLists } from '../../../src/graphql/limits/long-lists.ts';
import { createLogger } from '../../../src/output/log.ts';
import { RequestFacts } from '../../../src/telemetry/request-facts.ts';

const schema = buildSchema('type Query { thing: String }');
Object.assign(schema.getQueryType()?.getFields()['thing'] ?? {}, { resolve: () => 'yes' });
const { limits } = parseConfig({}, '/').config;
const log = createLogger('silent', { write() {} });
const ctx = {
  actor: { kind: 'api_key', tenancy: { teamId: 1n } },
  signal: new AbortController().signal,
  state: { releaseSlot: null, refusal: null, longLists: new LongLists() },
  facts: new RequestFacts(null),
} as GraphContext;

test('documents that other callers compiled evict each other, but no trusted document', async () => {
  const fallbacks = createFallbackCounter(log, () => new Date(0));
  const fastPath = createFastPath({ schema, limits, slots: createAnswerSlots(), fallbacks });
  const response = new Response('{}', { headers: { 'content-type': 'application/json' } });
  const compile = (params: Params, document: DocumentNode) => {
    const operation = document.definitions[0] as OperationDefinitionNode;
    fastPath.add(params, '', { document, operation, rows: 1, reads: 1 }, response, 1n);
  };
  const isKnown = async (params: Params) => (await fastPath.execute(params, '', ctx)) !== null;

  const text = 'query Trusted { thing }';
  const document = parse(text);
  const trusted: Params = { query: text, variables: {}, operationName: null, trusted: { text, document } };
  const adHoc = (i: number): Params => ({ ...trusted, query: `query Q${i} { thing }`, trusted: null });
  compile(trusted, document);
  // Each takes a tenth of the cache, by its number of tokens.
  for (let i = 0; i < 30; i++) compile(adHoc(i), { ...parse(adHoc(i).query), tokenCount: 10_000 });
  expect(await isKnown(adHoc(29))).toBe(true);
  expect(await isKnown(adHoc(0))).toBe(false);
  expect(await isKnown(trusted)).toBe(true);
  // The same text without its id has another cache entry.
  expect(await isKnown({ ...trusted, trusted: null })).toBe(false);
});
