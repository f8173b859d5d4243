// An operation whose compiled form always fails is passed to Yoga (src/graphql/fast-path/fast-path.ts).
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import type { GraphContext } from '../../../src/graphql/context.ts';
import { createFallbackCounter } from '../../../src/graphql/fast-path/fallback-counter.ts';
import { createFastPath, type Params } from '../../../src/graphql/fast-path/fast-path.ts';
import { createAnswerSlots } from '../../../src/graphql/limits/large-answers.ts';
import { LongLists } from '../../../src/graphql/limits/long-lists.ts';
import { RequestFacts } from '../../../src/telemetry/request-facts.ts';
import { createGateway } from '../../support/gateway.ts';

test('an operation that always fails is passed to Yoga until Yoga answers it without errors', async () => {
  const gateway = await createGateway();
  const { limits } = gateway.app.config;
  await gateway.close();
  const schema = buildSchema('type Query { thing: String }');
  let calls = 0;
  let works = false;
  const { thing } = schema.getQueryType()?.getFields() ?? {};
  if (thing === undefined) throw new Error('no field');
  thing.resolve = () => {
    calls++;
    if (!works) throw new Error('no');
    return 'yes';
  };
  const fallbacks = createFallbackCounter(gateway.app.log, gateway.app.clock);
  const fastPath = createFastPath({ schema, limits, slots: createAnswerSlots(), fallbacks });
  const params: Params = { query: '{ thing }', variables: {}, operationName: null, trusted: null };
  const document = parse(params.query);
  const operation = document.definitions[0] as OperationDefinitionNode;
  const response = new Response('{}', { headers: { 'content-type': 'application/json' } });
  const ctx = {
    actor: { kind: 'api_key', tenancy: { teamId: 1n } },
    signal: new AbortController().signal,
    state: { releaseSlot: null, refusal: null, missing: new Set(), longLists: new LongLists() },
    facts: new RequestFacts(null),
  } as GraphContext;

  fastPath.add(params, '', { document, operation, rows: 1, reads: 1 }, response, 1n);
  for (let i = 0; i < 300; i++) expect(await fastPath.execute(params, '', ctx)).toBeNull();
  expect(calls).toBe(100);
  works = true;
  expect(await fastPath.execute(params, '', ctx)).toBeNull();
  fastPath.add(params, '', { document, operation, rows: 1, reads: 1 }, response, 1n);
  const answer = await fastPath.execute(params, '', ctx);
  expect(new TextDecoder().decode(answer?.body as Uint8Array)).toBe('{"data":{"thing":"yes"}}');
});
