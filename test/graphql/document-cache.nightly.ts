// The document cache is bounded in bytes, and anonymous clients and invalid documents do not fill it.
import { channel } from 'node:diagnostics_channel';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as factories from '../support/factories.ts';
import { anonymous, type Caller, createGateway, type Gateway } from '../support/gateway.ts';

let gateway: Gateway;
let caller: Caller;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

beforeAll(async () => {
  gateway = await createGateway({ env: { MAX_QUERY_ALIASES: '2000' } });
  caller = await factories.apiKey(gateway.app, { teamId: (await factories.team(gateway.app)).id });
});
afterAll(() => gateway.close());

function heapBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const fields = (count: number, i: number) =>
  Array.from({ length: count }, (_, j) => `a${i}_${j}: kind`).join(' ');

/** A document, its sender, how often it is sent, and how many megabytes may stay in memory. */
const DOCUMENTS: readonly [
  string,
  (i: number) => string,
  { isKnown: boolean; times: number; most: number },
][] = [
  [
    'broken ones',
    (i) => `{ viewer { ${fields(1_000, i)} ${'x'.repeat(60_000)}`,
    { isKnown: true, times: 60, most: 12 },
  ],
  ['invalid ones', (i) => `{ viewer { ${fields(1_000, i)} nope } }`, { isKnown: true, times: 60, most: 12 }],
  [
    'very long ones',
    (i) => `{ viewer { ${fields(1_000, i)} } } #${'x'.repeat(60_000)}`,
    { isKnown: true, times: 60, most: 12 },
  ],
  ['very many', (i) => `{ viewer { ${fields(1_000, i)} } }`, { isKnown: true, times: 150, most: 100 }],
  [
    'those of callers without credentials',
    (i) => `query Q${i} { ${fields(20, i).replaceAll(/a\w+: kind/g, '__typename')} }`,
    { isKnown: false, times: 150, most: 12 },
  ],
];

test.each(DOCUMENTS)(
  '%s leave little in memory',
  { timeout: 60_000 },
  async (_name, document, { isKnown, times, most }) => {
    const send = async (i: number) => {
      const response = await gateway.send('/graphql', {
        method: 'POST',
        caller: isKnown ? caller : anonymous,
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: document(i) }),
      });
      await response.text();
    };
    await send(0);
    const before = heapBytes();
    // Cached, each of them would take about a megabyte.
    for (let i = 1; i <= times; i++) await send(i);
    expect((heapBytes() - before) / 1024 / 1024).toBeLessThan(most);
  },
);

test('a document that is too long for the cache is parsed once', async () => {
  const query = `query ($kind: Boolean!) { viewer { kind @include(if: $kind) } } #${'x'.repeat(30_000)}`;
  let parsed = 0;
  const count = () => {
    parsed += 1;
  };
  channel('tracing:graphql:parse:start').subscribe(count);
  try {
    const response = await gateway.send('/graphql', {
      method: 'POST',
      caller,
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, variables: { kind: true } }),
    });
    expect(await response.json()).toEqual({ data: { viewer: { kind: 'API_KEY' } } });
  } finally {
    channel('tracing:graphql:parse:start').unsubscribe(count);
  }
  expect(parsed).toBe(1);
});
