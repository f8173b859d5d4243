// What is compressed and what never is, and that the work for it is bounded (src/http/compression.ts, RFC 9110 §8.4 and §12.5.3).
import { gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { createCompression } from '../../src/http/compression.ts';
import { Exchange, type Peer } from '../../src/http/exchange.ts';
import { preferredCoding } from '../../src/messages/content-coding.ts';
import * as factories from '../support/factories.ts';
import { type RequestOptions, sharedGateway } from '../support/gateway.ts';

const OPENAPI = '/api/v2/openapi.json';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const DECODERS = { gzip: gunzipSync, zstd: zstdDecompressSync };

const gateway = await sharedGateway();
const { id, teamId } = await factories.workspace(gateway.app);
const workspaceId = id;
const workspace = `/api/v2/workspaces/${id}`;
await factories.contacts(gateway.app, id, 30);
for (let n = 0; n < 30; n++) await factories.refineFilter(gateway.app, { workspaceId: id });
const caller = await factories.apiKey(gateway.app, { teamId });

function send(path: string, accepted: string | null, options: RequestOptions = {}): Promise<Response> {
  const headers = { ...options.headers, ...(accepted !== null && { 'Accept-Encoding': accepted }) };
  return gateway.send(path, { caller, ...options, headers });
}

const askGraphql = (query: string, accepted: string | null, headers: Record<string, string> = {}) =>
  send('/graphql', accepted, {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify({ query }),
  });

/** The bytes of an answer that must be compressed. */
async function decoded(response: Response): Promise<string> {
  const coding = response.headers.get('Content-Encoding') as keyof typeof DECODERS;
  expect(Object.keys(DECODERS)).toContain(coding);
  expect(response.headers.get('Vary')).toMatch(/\bAccept-Encoding\b/);
  expect(response.headers.has('Content-Length')).toBe(false);
  return DECODERS[coding](await response.arrayBuffer()).toString();
}

async function expectPlain(answer: Promise<Response>): Promise<Response> {
  const response = await answer;
  expect(response.headers.has('Content-Encoding')).toBe(false);
  return response;
}

describe.each(['gzip', 'zstd'])('%s, where a client accepts it, is of the same bytes', (coding) => {
  test.each(['contacts', 'refine_filters', 'refine_filters?per_page=25'])('for REST: %s', async (path) => {
    const plain = await expectPlain(send(`${workspace}/${path}`, null));
    const response = await send(`${workspace}/${path}`, coding);
    expect(response.headers.get('Content-Encoding')).toBe(coding);
    expect(await decoded(response)).toBe(await plain.text());
    for (const name of ['Link', 'Pagination-Next', 'Content-Type', 'Cache-Control'])
      expect(response.headers.get(name)).toBe(plain.headers.get(name));
  });

  test('for GraphQL, through Yoga and on the fast path, also for an answer of more than a megabyte', async () => {
    const nodes = '{ nodes { id databaseId publicId emailAddress firstName lastName createdAt } }';
    const query = `{ workspace(by: { databaseId: ${workspaceId} }) { contacts(first: 30) ${nodes} } } # ${coding}`;
    const first = await decoded(await askGraphql(query, coding));
    expect(await decoded(await askGraphql(query, coding))).toBe(first);
    expect(first).toBe(await (await askGraphql(query, null)).text());
    const fields = Array.from({ length: 10 }, (_, n) => `${'f'.repeat(120)}${n}: emailAddress`).join(' ');
    const many = Array.from({ length: 40 }, (_, n) => `a${n}: contacts(first: 30) { ...F }`).join(' ');
    const fragment = `fragment F on ContactConnection { nodes { ${fields} } }`;
    const all = `{ workspace(by: { databaseId: ${workspaceId} }) { ${many} } } ${fragment} # ${coding}`;
    const long = await decoded(await askGraphql(all, coding));
    expect(long.length).toBeGreaterThan(1024 * 1024);
    expect(await decoded(await askGraphql(all, coding))).toBe(long);
    expect(long).toBe(await (await askGraphql(all, null)).text());
  });

  test('for a document with its own entity tag', async () => {
    const plain = (await send(OPENAPI, null)).headers.get('ETag') ?? '';
    const response = await send(OPENAPI, coding);
    const tag = response.headers.get('ETag') ?? '';
    expect(tag).toBe(`${plain.slice(0, -1)}-${coding}"`);
    expect(JSON.parse(await decoded(response))).toHaveProperty('openapi');
    const head = await send(OPENAPI, coding, { method: 'HEAD' });
    expect([head.headers.get('ETag'), head.headers.get('Content-Encoding')]).toEqual([tag, coding]);
    for (const held of [tag, `W/${tag}`, `"x", ${tag}`]) {
      const again = await send(OPENAPI, coding, { headers: { 'If-None-Match': held } });
      expect([again.status, again.headers.get('ETag'), again.body]).toEqual([304, tag, null]);
      expect(again.headers.get('Vary')).toMatch(/\bAccept-Encoding\b/);
      expect([...again.headers.keys()]).not.toContain('content-type');
    }
    expect((await send(OPENAPI, null, { headers: { 'If-None-Match': tag } })).status).toBe(200);
    const uncoded = await send(OPENAPI, coding, { headers: { 'If-None-Match': plain } });
    expect([uncoded.status, uncoded.headers.get('ETag')]).toEqual([304, plain]);
  });
});

test.each([
  ['', null],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'gzip'],
  ['x-gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0', null],
  ['gzip;q=0, *', 'zstd'],
  ['zstd;q=0, *', 'gzip'],
  ['zstd;q=0.2, gzip;q=0.8', 'gzip'],
  ['zstd;q=0.001 , gzip; q=0.000', 'zstd'],
  ['identity, gzip;q=0.5', null],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['identity;q=0, gzip;q=0', null],
  ['deflate, br', null],
  ['gzip;q=2', null],
  ['gzip;level=9', null],
  [`${','.repeat(16_000)}gzip`, 'gzip'],
])('Accept-Encoding "%s" is answered in %s', (accepted, coding) => {
  expect(preferredCoding(accepted, ['zstd', 'gzip'])).toBe(coding);
});

describe('never compressed is', () => {
  test('a short answer, a refusal, and an answer whose client does not accept compression', async () => {
    await expectPlain(askGraphql('{ viewer { kind } }', 'gzip'));
    await expectPlain(send(`${workspace}/contacts?per_page=0`, 'gzip'));
    await expectPlain(send('/api/v2/teams', 'gzip'));
    for (const accepted of [null, '', 'identity', 'br', 'gzip;q=0'])
      await expectPlain(send(`${workspace}/contacts`, accepted));
  });

  test('an event stream', async () => {
    const query = `{ workspace(by: { databaseId: ${workspaceId} }) { contacts(first: 30) { nodes { emailAddress } } } }`;
    const response = await askGraphql(query, 'gzip', { Accept: 'text/event-stream' });
    expect(response.headers.get('Content-Type')).toMatch(/^text\/event-stream/);
    const text = await response.text();
    expect([text.slice(0, 16), text.length > 1_024]).toEqual([':\n\nevent: next\nd', true]);
  });

  test('anything of the authorization server', async () => {
    for (const path of ['/oauth/jwks', '/account', '/oauth/authorize']) await expectPlain(send(path, 'gzip'));
    const long = {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify({ client_name: 'x'.repeat(3_000) }),
    };
    const response = await expectPlain(send('/oauth/register', 'gzip', long));
    expect((await response.text()).length).toBeGreaterThan(0);
  });
});

describe('the compression of one process', () => {
  const JSON_BODY = Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, n) => ({ n }))));
  const exchangeOf = (path = '/api/v2/x', peer?: Peer) =>
    new Exchange(
      gateway.app,
      new Request(`http://localhost${path}`, { headers: { 'Accept-Encoding': 'gzip' } }),
      peer,
    );
  const reply = (body: Buffer<ArrayBuffer> | ReadableStream, headers = {}) => ({
    status: 200,
    headers: { ...JSON_TYPE, ...headers },
    body,
  });
  const codingOf = ({ headers }: Response) => headers.get('Content-Encoding');

  test('leaves alone encoded answers, no-transform answers, and everything below /oauth and /account', async () => {
    const compress = createCompression();
    const ask = async (headers: object, path?: string) => {
      const exchange = exchangeOf(path);
      return codingOf(await compress(exchange, exchange.respond(reply(JSON_BODY, headers))));
    };
    expect(await ask({})).toBe('gzip');
    expect(await ask({ 'Cache-Control': 'no-store, no-transform' })).toBeNull();
    expect(await ask({ 'Content-Type': 'text/html' })).toBeNull();
    expect(await ask({ 'Content-Encoding': 'br' })).toBe('br');
    for (const path of ['/oauth/token', '/account', '/account/x']) expect(await ask({}, path)).toBeNull();
    expect(await ask({}, '/accounts')).toBe('gzip');
  });

  test('sends answers uncompressed beyond its limit of concurrent work, and resumes afterwards', async () => {
    const compress = createCompression(2 * JSON_BODY.length);
    const ask = () => {
      const exchange = exchangeOf();
      return compress(exchange, exchange.respond(reply(JSON_BODY)));
    };
    expect((await Promise.all([ask(), ask(), ask()])).map(codingOf)).toEqual(['gzip', 'gzip', null]);
    const response = await ask();
    expect(Buffer.from(await response.arrayBuffer())).toEqual(gzipSync(JSON_BODY, { level: 3 }));
  });

  test('ends a stream, its source and its share of the work when the client disconnects', async () => {
    const compress = createCompression(512 * 1024);
    const cancelled = vi.fn();
    const ask = async (peer?: Peer) => {
      const exchange = exchangeOf('/api/v2/x', peer);
      const source = new ReadableStream({
        pull: (controller) => controller.enqueue(JSON_BODY),
        cancel: cancelled,
      });
      return compress(exchange, exchange.respond(reply(source)));
    };
    const peer: Peer = { address: undefined };
    const responses = [await ask(peer), await ask()];
    expect(responses.map(codingOf)).toEqual(['gzip', null]);
    peer.abort?.(new Error('gone') as never);
    await expect(responses[0]?.arrayBuffer()).rejects.toThrow();
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledTimes(1), 60_000);
    const askUntilTaken = () =>
      vi.waitFor(async () => {
        const response = await ask();
        expect(codingOf(response)).toBe('gzip');
        return response;
      }, 60_000);
    // A disconnected reader ends it too.
    await (await askUntilTaken()).body?.cancel();
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledTimes(2), 60_000);
    await askUntilTaken();
  });

  test('passes on the failure of a source', async () => {
    const exchange = exchangeOf();
    const source = new ReadableStream({ pull: (controller) => controller.error(new Error('broken')) });
    const response = await createCompression()(exchange, exchange.respond(reply(source)));
    await expect(response.arrayBuffer()).rejects.toThrow();
  });
});
