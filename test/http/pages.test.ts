// The pages that a browser gets where programs get data: the REST reference, the guides, and the 404 page (src/http/pages/).
import { readFileSync } from 'node:fs';
import { TrieRouter } from 'hono/router/trie-router';
import { describe, expect, test, vi } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { buildGraphiql } from '../../src/graphiql/build.ts';
import { renderMarkdown } from '../../src/http/pages/markdown.ts';
import { createServer } from '../../src/http/server.ts';
import { anchorsOf, documents, read } from '../docs/markdown.ts';
import * as factories from '../support/factories.ts';
import { ownGateway } from '../support/gateway.ts';
import { expectProblem } from '../support/problem.ts';

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CUSTOM = 'shop.acme.example';

await buildGraphiql();
const gateway = await ownGateway();
const workspace = await factories.workspace(gateway.app, { subdomain: 'shop' });
await factories.customDomain(gateway.app, workspace.id, CUSTOM);

const open = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  gateway.send(path, { method, headers: { Accept: HTML, ...headers } });
const hrefsIn = (html: string) => [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href);
const vary = ({ headers }: Response) => headers.get('Vary')?.split(', ').slice(0, 2);
/** The address of a document of the package. */
const pathOf = (document: string) => `/${document.replace(/^(docs\/.*)\.md$/, '$1')}`;

/** The script of the guides, which copies their code. */
const COPY_SCRIPT = /<script src="(\/copy-code-[0-9a-f]{8}\.js)" type="module"><\/script>/;

/** The page of an answer: complete, without an inline script, with a policy that allows nothing from other origins. */
async function pageOf(response: Response, status = 200): Promise<string> {
  expect(response.status).toBe(status);
  expect(response.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  const policy = response.headers.get('Content-Security-Policy') ?? '';
  expect(policy).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; (script-src 'self'; )?img-src 'self';/,
  );
  expect(policy).not.toMatch(/unsafe|https?:/);
  const text = await response.text();
  expect(COPY_SCRIPT.test(text)).toBe(policy.includes('script-src'));
  expect(text).toMatch(/^<!doctype html>/);
  const tags = (text.replace(COPY_SCRIPT, '').match(/<[^>]+>/g) ?? []).join('');
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
    if (path.replace(/\/$/, '') === '/api/v2')
      expect(await response.text()).toContain('<div id="reference">');
    else await pageOf(response, status);
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

describe('the REST reference', () => {
  const issuerIn = (html: string) => /<meta name="issuer" content="([^"]*)"/.exec(html)?.[1];
  const openOn = async (env: Record<string, string>) => {
    const { config } = parseConfig(env, '/');
    const { fetch } = createServer({ ...gateway.app, config });
    return (await fetch(new Request('http://localhost:4000/api/v2', { headers: { Accept: HTML } }))).text();
  };

  test('has scripts and styles of its own origin only, and none that is inline or evaluated', async () => {
    const response = await open('/api/v2');
    const policy = response.headers.get('Content-Security-Policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).not.toMatch(/unsafe-eval|https?:|\*|blob:/);
    expect(policy).toContain("connect-src 'self'");
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    const html = await response.text();
    expect([...html.matchAll(/<script\b[^>]*>([\s\S]*?)<\/script>/g)].map(([, code]) => code)).toEqual(['']);
    const files = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      expect(file).toMatch(/^\/graphiql\/assets\/.+-[\w-]{8}\.\w+$/);
      const asset = await gateway.send(file);
      expect([file, asset.status]).toEqual([file, 200]);
      expect(asset.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    }
  });

  test('offers to sign in where GraphiQL may, and stays without it', async () => {
    expect(issuerIn(await openOn({}))).toBe('http://localhost:4000');
    const off = await openOn({ GRAPHIQL: 'off' });
    expect(issuerIn(off)).toBe('');
    expect(off).toContain('<div id="reference">');
  });
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
    expect(guides).toContainEqual({
      href: '/docs/contacts',
      title: 'Contacts, tags, events',
      description: 'How to create, change, tag and erase contacts, and which events these changes create.',
    });
    expect(guides).toContainEqual(
      expect.objectContaining({ href: '/docs/quirks', title: 'Known quirks of /api/v2' }),
    );
    for (const guide of guides) expect(guide).toHaveProperty('description', expect.stringMatching(/\w.+/));
  });

  test('are searched by words, and what was typed is text', async () => {
    const text = await pageOf(await open('/docs/?q=Refunds+PAYMENTS'));
    expect(hrefsIn(text)).toContain('/docs/shop#invoices-payments-and-refunds');
    for (const href of hrefsIn(text).filter((one) => one.includes('#'))) {
      const [path = '', anchor] = href.split('#');
      expect([href, await (await open(path)).text()]).toEqual([
        href,
        expect.stringContaining(` id="${anchor}"`),
      ]);
    }
    const none = await pageOf(await open(`/docs/?q=${encodeURIComponent('"><b>nosuchword')}`));
    expect(none).toContain('No section has all of these words.');
    expect(none).not.toContain('<b>');
    // Anybody may search: only the first 100 characters count.
    const long = await pageOf(await open(`/docs/?q=refund${'+'.repeat(100)}nosuchword`));
    expect(hrefsIn(long)).toContain('/docs/shop#invoices-payments-and-refunds');
  });

  test('have a table of contents, names beside the cells of tables, and a script that is a file', async () => {
    const page = await pageOf(await open('/docs/shop'));
    const [, contents = ''] = /<nav class="toc"([\s\S]*?)<\/nav>/.exec(page) ?? [];
    const sections = [...page.matchAll(/<h2 id="([^"]+)"/g)].map(([, anchor]) => `#${anchor}`);
    expect(hrefsIn(contents)).toEqual(sections);
    const operations = await pageOf(await open('/docs/operations'));
    expect(operations).toContain('<td data-column="GraphQL">');
    const [, path = ''] = COPY_SCRIPT.exec(page) ?? [];
    const script = await gateway.send(path);
    expect(script.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('Cache-Control')).toContain('immutable');
    expect(await script.text()).toContain('clipboard.writeText');
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
