// Serves the README, the changelog and the guides in docs/: as HTML to people, as Markdown to programs. Each is read and rendered on the
// first request, and then cached.
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';
import type { Context, Hono } from 'hono';
import { memoize } from '../../concurrency/memoize.ts';
import type { Config } from '../../config/config.ts';
import { type Html, html } from '../../oauth/pages/html.ts';
import { OPENAPI_PATH } from '../../rest/router.ts';
import type { HttpEnv } from '../exchange.ts';
import { COPY_SCRIPT_PATH, copyScript } from './copy-script.ts';
import { documentPage, HOME, type Step } from './document-page.ts';
import { type FoundSection, findSections, type Section, sectionsOf } from './guide-search.ts';
import { renderMarkdown, summaryOf, titleOf } from './markdown.ts';
import { mountPage, mountReadOnly } from './reader.ts';

/** The page that lists the guides. */
export const GUIDES: Step = { href: '/docs/', title: 'Guides' };
export const README_PATH = '/README.md';
/** The groups of the list, by need. A guide that none names is in the last one. */
const GROUPS: readonly (readonly [title: string, guides: readonly string[]])[] = [
  ['Begin', ['/README.md', '/docs/first-store', '/docs/browser-app', '/docs/commands']],
  [
    'Use the APIs',
    ['http', 'graphql', 'oauth', 'webhooks', 'operations', 'trusted-documents', 'quirks'].map(inDocs),
  ],
  [
    'By family',
    ['course-sale', 'contacts', 'funnels', 'forms', 'sales', 'courses', 'shop', 'blogs', 'emails'].map(
      inDocs,
    ),
  ],
  [
    'Run it',
    ['deploying', 'configuration', 'operating', 'observability', 'scaling', 'backup', 'SECURITY'].map(inDocs),
  ],
  ['Work on it', ['/docs/ARCHITECTURE', '/docs/CONTRIBUTING', '/CHANGELOG.md']],
];

function inDocs(name: string): string {
  return `/docs/${name}`;
}

/** The folder of the package. */
const ROOT = new URL('../../../', import.meta.url);

interface Guide {
  readonly markdown: () => Promise<string>;
  readonly body: () => Promise<Html>;
}

/** The existing files, by URL path. A container image may contain none. */
export interface Guides {
  readonly guides: ReadonlyMap<string, Guide>;
  readonly images: ReadonlyMap<string, () => Promise<Uint8Array<ArrayBuffer>>>;
}

/** Finds the files. Reads none of them. */
export function findGuides({ introspection }: Pick<Config, 'introspection'>): Guides {
  const files = ['README.md', 'CHANGELOG.md', ...filesOf('docs')].filter((file) =>
    existsSync(new URL(file, ROOT)),
  );
  const served = new Map(files.map((file) => [file, pathOf(file)]));
  served.set('openapi.json', OPENAPI_PATH);
  if (introspection) served.set('schema.graphql', '/schema.graphql');
  const isImage = (file: string) => file.endsWith('.png');
  return {
    guides: new Map(
      files.filter((file) => !isImage(file)).map((file) => [pathOf(file), createGuide(file, served)]),
    ),
    images: new Map(
      files.filter(isImage).map((file) => [pathOf(file), memoize(() => readFile(new URL(file, ROOT)))]),
    ),
  };
}

function filesOf(folder: string): string[] {
  const url = new URL(`${folder}/`, ROOT);
  const names = existsSync(url) ? readdirSync(url).sort() : [];
  return names.filter((name) => /\.(md|png)$/.test(name)).map((name) => `${folder}/${name}`);
}

/** The URL path of a file. For a guide in docs/ it has no extension. */
function pathOf(file: string): string {
  return `/${file.replace(/^(docs\/.*)\.md$/, '$1')}`;
}

/** @param served the URL paths of the package's files that are served, by file */
function createGuide(file: string, served: ReadonlyMap<string, string>): Guide {
  const markdown = memoize(() => readFile(new URL(file, ROOT), 'utf8'));
  const hrefOf = (target: string) => {
    if (/^(https?:|#)/.test(target)) return target;
    const [path = '', anchor] = target.split('#');
    const found = served.get(posix.join(posix.dirname(file), path));
    return found === undefined ? null : found + (anchor === undefined ? '' : `#${anchor}`);
  };
  return { markdown, body: memoize(async () => renderMarkdown(await markdown(), hrefOf)) };
}

/** Mounts the guides, their images and their list. */
export function mountGuides(http: Hono<HttpEnv>, { guides, images }: Guides): void {
  if (guides.size === 0) return;
  const { href: listPath } = GUIDES;
  const sections = memoize(() => readSections(guides));
  for (const path of [listPath, '/docs']) {
    mountPage(http, path, async (c) => {
      const query = (c.req.query('q') ?? '').trim();
      return query === ''
        ? listPage(await listOf(guides))
        : searchPage(query, findSections(await sections(), query));
    });
    mountReadOnly(http, path, async (c) => c.json({ guides: await listOf(guides) }));
  }
  mountReadOnly(http, COPY_SCRIPT_PATH, async () => copyScript());
  const at = (c: Context<HttpEnv>) => c.req.path.replace(/^(\/docs\/.*)\.md$/, '$1');
  const named = [...guides.keys()].filter((path) => !path.startsWith(listPath));
  for (const path of [...named, `${listPath}:name`]) {
    mountPage(http, path, async (c) => guidePage(guides.get(at(c))));
    mountReadOnly(http, path, async (c) => {
      const image = images.get(at(c));
      if (image !== undefined)
        return c.body(await image(), 200, {
          'Content-Type': 'image/png',
          'Cache-Control': 'public, max-age=3600',
        });
      const guide = guides.get(at(c));
      if (guide === undefined) return null;
      return c.body(await guide.markdown(), 200, { 'Content-Type': 'text/markdown; charset=utf-8' });
    });
  }
}

/** A guide in the list. */
interface Listed extends Step {
  readonly description: string;
}

async function listOf(guides: Guides['guides']): Promise<Listed[]> {
  return Promise.all(
    [...guides].map(async ([href, { markdown }]) => {
      const text = await markdown();
      return { href, title: titleOf(text), description: summaryOf(text) };
    }),
  );
}

async function readSections(guides: Guides['guides']): Promise<Section[]> {
  const read = [...guides].map(async ([href, { markdown }]) =>
    sectionsOf({ href, markdown: await markdown() }),
  );
  return (await Promise.all(read)).flat();
}

function searchForm(query = ''): Html {
  return html`<form class="search" role="search" action="${GUIDES.href}" method="get">
<label>Search the guides <input type="search" name="q" value="${query}" maxlength="100"></label>
<button>Search</button>
</form>`;
}

function listPage(list: readonly Listed[]): Response {
  const named = GROUPS.flatMap(([, hrefs]) => hrefs);
  const groups = GROUPS.map(([title, hrefs], place) => {
    const own = hrefs.flatMap((href) => list.filter((guide) => guide.href === href));
    const rest = place === GROUPS.length - 1 ? list.filter(({ href }) => !named.includes(href)) : [];
    return { title, guides: [...own, ...rest] };
  });
  return documentPage({
    title: GUIDES.title,
    path: [HOME],
    body: html`<h1>${GUIDES.title}</h1>
${searchForm()}
${groups
  .filter(({ guides }) => guides.length > 0)
  .map(
    ({ title, guides }) => html`<h2>${title}</h2>
<ul class="links">
${guides.map(({ href, title: name, description }) => html`<li><a href="${href}">${name}</a><br><small>${description}</small></li>\n`)}
</ul>
`,
  )}`,
  });
}

function searchPage(query: string, found: readonly FoundSection[]): Response {
  return documentPage({
    title: 'Search',
    path: [HOME, GUIDES],
    body: html`<h1>Search</h1>
${searchForm(query)}
<p role="status">${found.length === 0 ? 'No section has all of these words. Try fewer or shorter ones.' : `${found.length} sections have all of these words.`}</p>
<ul class="links">
${found.map(({ href, title, excerpt }) => html`<li><a href="${href}">${title}</a><br><small>${excerpt}</small></li>\n`)}
</ul>`,
  });
}

async function guidePage(guide: Guide | undefined): Promise<Response | null> {
  if (guide === undefined) return null;
  const title = titleOf(await guide.markdown());
  return documentPage({ title, path: [HOME, GUIDES], body: await guide.body(), script: COPY_SCRIPT_PATH });
}
