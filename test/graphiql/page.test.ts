import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { buildGraphiql } from '../../src/graphiql/build.ts';
import { createGraphiqlPage } from '../../src/graphiql/page.ts';
import { pageNotBuilt } from '../../src/http/page-not-built.ts';
import { ownGateway } from '../support/gateway.ts';

const assets = new URL('../../build/graphiql/assets/', import.meta.url);
const graphiqlPage = createGraphiqlPage();

await buildGraphiql();
const script = (await readdir(assets)).find((name) => /^index-.*\.js$/.test(name)) ?? '';
const gateway = await ownGateway();

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  gateway.send(`/graphiql/assets/${path}`, { method, headers });

function pageOf(issuer?: string | null): Response {
  const page = graphiqlPage(issuer);
  if (page === null) throw new Error('GraphiQL is not built');
  return page;
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

describe('the page', () => {
  test('is HTML that nobody may frame, sniff or cache', () => {
    const { status, headers } = pageOf();
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    });
  });

  test('allows only sources of its own origin, and neither inline nor evaluated scripts', () => {
    const policy = pageOf().headers.get('content-security-policy') ?? '';
    const directives = new Map(
      policy.split('; ').map((text) => [text.split(' ')[0], text.split(' ').slice(1)]),
    );
    expect(directives.get('default-src')).toEqual(["'none'"]);
    expect(directives.get('script-src')).toEqual(["'self'"]);
    expect(directives.get('connect-src')).toEqual(["'self'"]);
    expect(directives.get('worker-src')).toEqual(["'self'"]);
    expect(directives.get('frame-ancestors')).toEqual(["'none'"]);
    expect(directives.get('style-src-elem')).toEqual([
      "'self'",
      expect.stringMatching(/^'nonce-[\w-]{24}'$/),
    ]);
    expect(policy).not.toMatch(/https?:|\*|blob:|unsafe-eval/);
  });

  test('has no inline script, no event handler and no address outside this origin', async () => {
    const html = await pageOf().text();
    expect([...html.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)].map(([, code]) => code)).toEqual(['']);
    expect(html).not.toMatch(/\son\w+=/);
    expect([...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^\/graphiql\/assets\//)]),
    );
    expect(html).not.toMatch(/(?:src|href)="(?!\/graphiql\/assets\/)/);
  });

  test('has the authorization server for sign-in, or none if there is none', async () => {
    const issuerOf = async (issuer?: string | null) =>
      /<meta name="issuer" content="([^"]*)"/.exec(await pageOf(issuer).text())?.[1];
    expect(await issuerOf('https://auth.example.com')).toBe('https://auth.example.com');
    expect(await issuerOf('https://x.example/$&/"><script>')).toBe(
      'https://x.example/$&amp;/&quot;><script>',
    );
    expect(await issuerOf(null)).toBe('');
    expect(await issuerOf()).toBe('');
  });

  test('has a new nonce each time, as in its policy', async () => {
    const nonces = await Promise.all(
      [pageOf(), pageOf()].map(async (page) => {
        const [, nonce = ''] = /nonce="([^"]+)"/.exec(await page.text()) ?? [];
        expect(page.headers.get('content-security-policy')).toContain(`'nonce-${nonce}'`);
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(2);
  });

  test('explains how to build it if it is not built, under the same rules', async () => {
    expect(createGraphiqlPage(new URL('./nowhere/', import.meta.url))()).toBeNull();
    const page = pageNotBuilt('GraphiQL');
    expect(page.status).toBe(503);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
    });
    const html = await page.text();
    expect(html).toContain('<code>npm run build</code>');
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(page.headers.get('content-security-policy')).toContain(`style-src 'sha256-${hash}'`);
    expect(html).not.toMatch(/<script|\son\w+=|style=/);
  });
});

describe('the address of the API', () => {
  const query = `/graphql?${new URLSearchParams({ query: '{ __typename }', operationName: '', variables: '{}' })}`;

  test.each(['text/html,application/xhtml+xml;q=0.9', 'application/xhtml+xml'])(
    'in a browser (Accept: %s) is the page, with a query too, which is not run',
    async (accept) => {
      for (const path of ['/graphql', query, '/graphql?query={not%20even', '/graphql?query=&query=x']) {
        const answer = await gateway.send(path, { headers: { accept } });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
        expect(await answer.text()).toContain('<div id="root">');
      }
    },
  );

  test.each(['application/graphql-response+json', 'application/json', '*/*', undefined])(
    'for a program (Accept: %s) runs the query, as before',
    async (accept) => {
      const answer = await gateway.send(query, { headers: { ...(accept && { accept }) } });
      expect(answer.status).toBe(200);
      expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
    },
  );

  test('refuses mutations by GET', async () => {
    const mutation = `/graphql?${new URLSearchParams({ query: 'mutation { __typename }' })}`;
    expect((await gateway.send(mutation, { headers: { accept: 'application/json' } })).status).toBe(405);
    const page = await gateway.send(mutation, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });
});

describe('an asset', () => {
  test('is immutable and has the type of its name', async () => {
    const response = await get(script);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
    });
    expect(await bytesOf(response)).toEqual(await readFile(new URL(script, assets)));
  });

  test('every file of the page and of the build is served', async () => {
    const html = await pageOf().text();
    const linked = [...html.matchAll(/(?:src|href)="\/graphiql\/assets\/([^"]*)"/g)].map(
      ([, name = '']) => name,
    );
    const files = (await readdir(assets)).filter((name) => !/\.(br|gz)$/.test(name));
    expect(files).toEqual(expect.arrayContaining(linked));
    for (const name of files) {
      const response = await get(name);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type'), name).not.toBe('application/octet-stream');
    }
  });

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*;q=0', null],
    ['identity', null],
    ['', null],
  ])('to a client that accepts "%s" it goes as %s', async (accept, encoding) => {
    const response = await get(script, { 'accept-encoding': accept });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    const bytes = await bytesOf(response);
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    const plain = encoding === 'br' ? brotliDecompressSync(bytes) : encoding ? gunzipSync(bytes) : bytes;
    expect(plain).toEqual(await readFile(new URL(script, assets)));
  });

  test('HEAD has the headers of GET and no body', async () => {
    const headers = { 'accept-encoding': 'br' };
    const [head, whole] = [await get(script, headers, 'HEAD'), await get(script, headers)];
    for (const { headers: all } of [head, whole])
      for (const name of ['ratelimit', 'x-request-id']) all.delete(name);
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(whole.headers));
    expect((await bytesOf(head)).length).toBe(0);
  });

  test('refuses a range that it does not have, and no cache stores the refusal', async () => {
    const response = await get(script, { range: 'bytes=999999999-' });
    expect(response.status).toBe(416);
    expect(response.headers.get('cache-control') ?? '').not.toContain('immutable');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await get(script, { range: 'bytes=0-9' })).headers.get('cache-control')).toContain('immutable');
  });

  test.each([
    '',
    'unknown.js',
    '../index.html',
    '..%2findex.html',
    '%2e%2e/%2e%2e/page.ts',
    '..%2f..%2fpage.ts',
    '..%5c..%5cpage.ts',
    '/etc/passwd',
    'constructor',
    '__proto__',
    'index.html%00.js',
  ])('there is none at "%s"', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

test('a second build without changes does nothing', async () => {
  expect(await buildGraphiql()).toBe(false);
});
