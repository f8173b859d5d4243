// The page at `/`: it describes the gateway and links to everything else. This file also serves the schema file and the icon.
import { existsSync, readFileSync } from 'node:fs';
import type { Hono } from 'hono';
import { PROTECTED_RESOURCE_PATH } from '../auth/discovery.ts';
import type { Config } from '../config/config.ts';
import type { App } from '../context.ts';
import { publicFile } from '../messages/public-file.ts';
import { ACCOUNT_PATH } from '../oauth/endpoints.ts';
import { html } from '../oauth/pages/html.ts';
import { type HtmlPage, pageResponse, SERVICE_NAME } from '../oauth/pages/layout.ts';
import { buildInfo } from '../output/build-info.ts';
import { type Condition, findCondition } from '../services/health.ts';
import type { HttpEnv } from './exchange.ts';
import { GUIDES, type Guides, README_PATH } from './pages/guides.ts';
import { acceptsHtml, mountReadOnly, refuseWrites } from './pages/reader.ts';

/** A link on the page. */
interface Link {
  /** Its name in the JSON for programs. */
  readonly name: string;
  readonly href: string;
  readonly title: string;
  readonly about: string;
  readonly group: Group;
}

/** The groups of links, in the order in which people need them. */
const GROUPS = {
  explore: 'Look around',
  learn: 'Learn how',
  build: 'For programs and code generators',
  discovery: 'For OAuth clients',
} as const;
type Group = keyof typeof GROUPS;

/** The schema, a file of the package, served as plain text. */
const SCHEMA = '/schema.graphql';

/** Mounts the page, the schema and the icon. Customers' own domains do not have the page and the schema. */
export function mountHome(http: Hono<HttpEnv>, app: App, links: readonly Link[]): void {
  const summary = { name: SERVICE_NAME, ...Object.fromEntries(links.map(({ name, href }) => [name, href])) };

  mountReadOnly(http, '/', async (c) => {
    const vary = { Vary: 'Accept' };
    return acceptsHtml(c.req.header('accept'))
      ? pageResponse({ ...homePage(links, await findCondition(app)), headers: vary })
      : c.json(summary, 200, vary);
  });
  const schema = publicFile(fileOf(SCHEMA), 'text/plain; charset=utf-8');
  if (links.some(({ href }) => href === SCHEMA))
    mountReadOnly(http, SCHEMA, async (c) => c.env.exchange.respond(schema(c.req.header('if-none-match'))));
  const icon = readFileSync(new URL('./favicon.ico', import.meta.url));
  http.get('/favicon.ico', (c) =>
    c.body(icon, 200, { 'Content-Type': 'image/x-icon', 'Cache-Control': 'public, max-age=86400' }),
  );
  refuseWrites(http, '/favicon.ico');
}

/** The links that the page shows. */
export function linksOf(
  { authUrl, graphiql, introspection, oauth }: Config,
  { guides }: Guides,
): readonly Link[] {
  const links: (Link | false)[] = [
    graphiql && {
      name: 'graphiql',
      href: '/graphql',
      title: 'GraphiQL',
      about: 'Ask for data in the browser, with the documentation of the schema beside it.',
      group: 'explore',
    },
    {
      name: 'rest',
      href: '/api/v2',
      title: 'REST API',
      about: 'The reference: every request with its parameters and code, to try here.',
      group: 'explore',
    },
    oauth.outside === null && {
      name: 'account',
      href: authUrl + ACCOUNT_PATH,
      title: 'Your account',
      about: 'Sign in to see what you allowed which client, and to end it.',
      group: 'explore',
    },
    guides.has(README_PATH) && {
      name: 'readme',
      href: README_PATH,
      title: 'README',
      about: 'What this is, and how to use it.',
      group: 'learn',
    },
    guides.size > 0 && {
      name: 'docs',
      ...GUIDES,
      about: 'How to use, run and extend it, page by page, with search.',
      group: 'learn',
    },
    {
      name: 'graphql',
      href: '/graphql',
      title: 'GraphQL',
      about: 'The endpoint for programs, by POST.',
      group: 'build',
    },
    {
      name: 'openapi',
      href: '/api/v2/openapi.json',
      title: 'OpenAPI document',
      about: 'The REST API for code generators, with examples.',
      group: 'build',
    },
    introspection &&
      existsSync(fileOf(SCHEMA)) && {
        name: 'schema',
        href: SCHEMA,
        title: 'GraphQL schema',
        about: 'Every type and field, for people and code generators.',
        group: 'build',
      },
    oauth.outside === null && {
      name: 'authorization_server',
      href: `${authUrl}/.well-known/oauth-authorization-server`,
      title: 'Authorization server metadata',
      about: 'How OAuth clients get access tokens (RFC 8414).',
      group: 'discovery',
    },
    {
      name: 'protected_resource',
      href: authUrl + PROTECTED_RESOURCE_PATH,
      title: 'Protected resource metadata',
      about: 'Which scopes there are, and who issues access tokens (RFC 9728).',
      group: 'discovery',
    },
  ];
  return links.filter((link) => link !== false);
}

/** A file of the package, by its path below the root. */
function fileOf(href: string): URL {
  return new URL(`../..${href}`, import.meta.url);
}

function homePage(links: readonly Link[], { problem, isDemo }: Condition): HtmlPage {
  const { version, commit } = buildInfo();
  // GraphiQL and the GraphQL endpoint have the same address; people need only one link.
  const visibleLinks = links.filter(({ name }) => name !== 'graphql');
  const data = isDemo ? 'The demo: change what you like.' : 'A store of its own, not the demo.';
  return {
    title: 'Home',
    body: html`<h1>${SERVICE_NAME} is running</h1>
<p>Contacts, funnels, a shop, courses, forms, sales, blogs and e-mails over GraphQL and REST. Data needs an API key or a sign-in; reading these pages needs neither.</p>
<dl class="about">
<div><dt>Version</dt><dd>${version}${commit !== '' && html` <small>(${commit})</small>`}</dd></div>
<div><dt>Status</dt><dd>${problem === null ? 'Healthy' : `Not ready: ${problem}`}</dd></div>
${problem === null && html`<div><dt>Data</dt><dd>${data}</dd></div>`}
</dl>
<nav aria-label="What is here">
${Object.entries(GROUPS).map(
  ([group, title]) => html`<section><h2>${title}</h2>
<ul class="links">
${visibleLinks
  .filter((link) => link.group === group)
  .map(
    ({ href, title: name, about }) =>
      html`<li><a href="${href}">${name}</a><br><small>${about}</small></li>\n`,
  )}
</ul></section>
`,
)}
</nav>`,
  };
}
