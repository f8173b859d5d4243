// The pages that a browser gets where programs get data: the REST API's, the guides', and the 404 page (src/http/pages/).
import { readFileSync } from 'node:fs';
import { TrieRouter } from 'hono/router/trie-router';
import { describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { renderMarkdown } from '../../src/http/pages/markdown.ts';
import { createServer } from '../../src/http/server.ts';
import { routes } from '../../src/rest/nouns.ts';
import { toTemplate } from '../../src/rest/route.ts';
import { anchorsOf, documents, read } from '../docs/markdown.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { expectProblem } from '../support/problem.ts';

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CUSTOM = 'shop.acme.example';
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const gateway = await ownGateway();
const workspace = await factories.workspace(gateway.app, { subdomain: 'shop' });
await factories.customDomain(gateway.app, workspace.id, CUSTOM);

const open = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  gateway.send(path, { method, headers: { Accept: HTML, ...headers } });
const words = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&(#?\w+);/g, (_, name: string) => ENTITIES[name] ?? '?')
    .replaceAll(/\s+/g, ' ');
const hrefsIn = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href);
const vary = ({ headers }: Response) => headers.get('Vary')?.split(', ').slice(0, 2);
/** The address of a document of the package. */
const pathOf = (document: string) => `/${document.replace(/^(docs\/.*)\.md$/, '$1')}`;

/** The page of an answer: complete, without a script, with a policy that allows nothing from other origins. */
async function pageOf(response: Response, status = 200): Promise<string> {
  expect(response.status).toBe(status);
  expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  const policy = response.headers.get('Content-Security-Policy') ?? '';
  expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self';/);
  expect(policy).not.toMatch(/script-src|unsafe|https?:/);
  const text = await response.text();
  expect(text).toMatch(/^<!doctype html>/);
  const tags = (text.match(/<[^>]+>/g) ?? []).join('');
  expect(tags).not.toMatch(/<script|<iframe|\s(on\w+|style)=|<!--|(src|srcset)="(?!\/)/);
  for (const part of ['<html lang="en">', '<title>', '<main>']) expect(text).toContain(part);
  expect(text.match(/<h1[ >]/g)).toHaveLength(1);
  return text;
}

describe.each([
  ['/api/v2', 200, 'application/json'],
  ['/api/v2/', 200, 'application/json'],
  ['/docs/', 200, 'application/json'],
  ['/docs', 200, 'application/json'],
  ['/docs/contacts', 200, 'text/markdown; charset=utf-8'],
  ['/docs/contacts.md', 200, 'text/markdown; charset=utf-8'],
  ['/README.md', 200, 'text/markdown; charset=utf-8'],
  ['/orders', 404, 'application/problem+json'],
  ['/docs/nothing', 404, 'application/problem+json'],
  ['/api/v2/contact', 404, 'application/problem+json'],
  ['/graphiql/nothing', 404, 'application/problem+json'],
])('%s', (path, status, type) => {
  test('is a page for a browser, and has Vary: Accept', async () => {
    const response = await open(path);
    expect(vary(response)).toEqual(['Accept', 'Authorization']);
    await pageOf(response, status);
    const head = await open(path, {}, 'HEAD');
    expect([head.status, await head.text()]).toEqual([status, '']);
    expect(head.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  });

  test.each([
    ['without Accept', {}],
    ['of anything', { Accept: '*/*' }],
    ['of JSON first', { Accept: 'application/json, text/html' }],
    ['with a credential', { Accept: HTML, Authorization: 'Bearer fgw_x' }],
    ['with an empty credential', { Accept: HTML, Authorization: '' }],
  ])('is for programs otherwise: %s', async (_, headers) => {
    for (const method of ['GET', 'HEAD']) {
      const response = await gateway.send(path, { method, headers });
      expect([response.status, response.headers.get('Content-Type')]).toEqual([status, type]);
      expect(vary(response)).toEqual(['Accept', 'Authorization']);
    }
  });
});

test('a browser that sends a change gets no page', async () => {
  for (const path of ['/orders', '/api/v2', '/docs/', '/docs/contacts']) {
    const response = await open(path, {}, 'POST');
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    expect(response.status).toBe(path === '/orders' ? 404 : 405);
    if (path !== '/orders') expect(response.headers.get('Allow')).toBe('GET, HEAD');
  }
});

test('resources for programs stay unchanged: a refusal, a document', async () => {
  await expectProblem(await open('/api/v2/teams'), 'unauthenticated');
  const openapi = await open('/api/v2/openapi.json');
  expect(openapi.headers.get('Content-Type')).toBe('application/json');
  expect(openapi.headers.get('Vary')).not.toContain('Accept,');
});

test('a custom domain has no such page', async () => {
  for (const path of ['/docs/', '/docs/contacts', '/README.md', '/orders'])
    await expectProblem(await gateway.send(path, { host: CUSTOM, headers: { Accept: HTML } }), 'not_found');
  const index = await gateway.send('/api/v2', { host: CUSTOM, headers: { Accept: HTML } });
  expect(index.headers.get('Content-Type')).toBe('application/json');
});

test('the page of the REST API has every endpoint with its scope, and every rule', async () => {
  const text = words(await pageOf(await open('/api/v2')));
  const { endpoints, name, openapi, ...rules } = (await (await gateway.send('/api/v2')).json()) as Record<
    string,
    string
  >;
  expect(endpoints).toHaveLength(routes.length);
  for (const { method, path, summary, scope } of routes)
    expect(text).toContain(
      `${method} ${toTemplate(path)} ${summary}${scope === undefined ? '' : ` · ${scope}`}`,
    );
  for (const rule of Object.values(rules)) expect(text).toContain(rule);
  expect(text).toContain(name);
});

test('a 404 page links to existing pages, has the request id, and repeats nothing of the request', async () => {
  const response = await open('/orders/<script>alert(1)</script>?x="');
  const text = await pageOf(response, 404);
  expect(text).not.toContain('orders');
  expect(text).toContain(response.headers.get('X-Request-Id') ?? 'none');
  expect(hrefsIn(text)).toEqual(['/', '/graphql', '/api/v2', '/docs/']);
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  const line = JSON.parse(gateway.logLines.at(-1) ?? '{}') as object;
  expect(line).toMatchObject({ status: 404, code: 'not_found' });
  expect(line).not.toHaveProperty('route');
  const off = createServer({ ...gateway.app, config: parseConfig({ GRAPHIQL: 'off' }, '/').config });
  const without = await off.fetch(new Request('http://localhost:4000/x', { headers: { Accept: HTML } }));
  expect(hrefsIn(await without.text())).toEqual(['/', '/api/v2', '/docs/']);
});

describe('the guides', () => {
  test('are listed with their titles, for people and for programs', async () => {
    const hrefs = hrefsIn(await pageOf(await open('/docs/'))).filter((href) => href !== '/');
    expect(new Set(hrefs)).toEqual(new Set(documents.map(pathOf)));
    const { guides } = (await (await gateway.send('/docs/')).json()) as { guides: object[] };
    expect(guides).toHaveLength(documents.length);
    expect(guides).toContainEqual({ href: '/docs/contacts', title: 'Contacts, tags, events' });
    expect(guides).toContainEqual({ href: '/docs/quirks', title: 'Known quirks of /api/v2' });
  });

  test.each(documents)(
    '%s has the same text, an anchor for every heading, and no broken link',
    async (document) => {
      const markdown = read(document);
      const source = await gateway.send(pathOf(document));
      expect(await source.text()).toBe(markdown);
      const page = await pageOf(await open(pathOf(document)));
      const anchors = [...page.matchAll(/<h\d id="([^"]+)"/g)].map(([, anchor]) => anchor);
      // A fenced block in a list contains something like a heading.
      const known = anchorsOf(markdown);
      const isKnown = (anchor = '') => known.includes(anchor) || known.includes(anchor.replace(/-\d+$/, ''));
      expect(anchors.filter((anchor) => !isKnown(anchor))).toEqual([]);
      expect(new Set(anchors).size).toBe(anchors.length);
      expect(page.match(/<pre/g)?.length ?? 0).toBe(
        markdown.match(/^ *```\w*$/gm) === null ? 0 : (markdown.match(/^ *```/gm)?.length ?? 0) / 2,
      );
      for (const href of new Set(hrefsIn(page))) {
        if (/^https:/.test(href)) continue;
        const [path = '', anchor] = href.split('#');
        const target = path === '' ? page : await (await open(path)).text();
        expect([href, path === '' ? 200 : (await open(path)).status]).toEqual([href, 200]);
        if (anchor !== undefined) expect([href, target.includes(` id="${anchor}"`)]).toEqual([href, true]);
      }
      for (const [, source = ''] of page.matchAll(/<img src="([^"]+)"/g)) {
        const image = await gateway.send(source);
        expect([source, image.headers.get('Content-Type')]).toEqual([source, 'image/png']);
      }
    },
  );

  test('link to the contracts, and only to files that are served', async () => {
    expect(hrefsIn(await (await open('/README.md')).text())).toEqual(
      expect.arrayContaining(['/api/v2/openapi.json', '/schema.graphql', '/docs/oauth', '/CHANGELOG.md']),
    );
    const text = await (await open('/docs/CONTRIBUTING')).text();
    expect(hrefsIn(text).filter((href) => href.includes('RESULTS'))).toEqual([]);
    const off = createServer({ ...gateway.app, config: parseConfig({ INTROSPECTION: 'off' }, '/').config });
    const readme = await off.fetch(
      new Request('http://localhost:4000/README.md', { headers: { Accept: HTML } }),
    );
    expect(hrefsIn(await readme.text())).not.toContain('/schema.graphql');
  });

  test('no other file can be read through their names', async () => {
    for (const path of [
      '/docs/..%2fpackage.json',
      '/docs/%2e%2e/package.json',
      '/docs/contacts.md.md',
      '/docs/__proto__',
      '/docs/contacts/1',
      '/LICENSE',
      '/package.json',
    ])
      expect([path, (await gateway.send(path)).status]).toEqual([path, 404]);
  });
});

test('foreign Markdown is escaped, and comments and broken links are left out', async () => {
  const page = await renderMarkdown(
    '# A `b` <i>\n\n<!-- not run -->\n\n<b onclick="x">c</b> [d](nowhere.md) [e](x.md#f) ![g](h.png) <!-- i -->\n\n## Twice\n\n## Twice\n\n| | |\n|---|---|\n| `<j>` | [k](https://k.example/?a=1&b="2") |\n',
    (target) => (target.startsWith('nowhere') || target.endsWith('.png') ? null : target),
  );
  const text = String(page);
  expect(text).not.toMatch(/<b|<i>|<!--|<img|nowhere|onclick="/);
  for (const part of ['id="a-b-i"', '<a href="x.md#f"', '&lt;j&gt;', 'id="twice"', 'id="twice-1"'])
    expect(text).toContain(part);
  expect(text).not.toContain('<th></th>');
});

test('no page prevents Hono’s fastest router for the API', async () => {
  const { fetch, load } = createServer(gateway.app);
  await load();
  const slower = vi.spyOn(TrieRouter.prototype, 'match');
  expect((await fetch(new Request('http://localhost:4000/docs/contacts'))).status).toBe(200);
  expect(slower).not.toHaveBeenCalled();
  slower.mockRestore();
});

test('the package and the container image have the guides and their pictures', () => {
  const { files } = JSON.parse(read('package.json')) as { files: string[] };
  expect(files).toContain('docs');
  const dockerfile = readFileSync(new URL('../../deploy/Dockerfile', import.meta.url), 'utf8');
  const ignored = readFileSync(new URL('../../deploy/Dockerfile.dockerignore', import.meta.url), 'utf8');
  for (const name of ['docs', 'README.md', 'CHANGELOG.md']) {
    expect(dockerfile).toMatch(new RegExp(`^COPY .*\\b${name}\\b`, 'm'));
    expect(ignored).toContain(`!${name}\n`);
  }
});
