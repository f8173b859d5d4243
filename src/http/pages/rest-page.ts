// The page for people at the address of the REST API: its rules and endpoints. Programs get them as JSON.
import type { Hono } from 'hono';
import { html } from '../../oauth/pages/html.ts';
import { routes } from '../../rest/nouns.ts';
import { toTemplate } from '../../rest/route.ts';
import { API_PATH, describeApi, OPENAPI_PATH } from '../../rest/router.ts';
import type { HttpEnv } from '../exchange.ts';
import { documentPage, HOME } from './document-page.ts';
import { GUIDES, type Guides } from './guides.ts';
import { mountPage } from './reader.ts';

/** Call it before REST is mounted. */
export function mountRestPage(http: Hono<HttpEnv>, { guides }: Guides): void {
  for (const path of [API_PATH, `${API_PATH}/`])
    mountPage(http, path, async (c) => restPage(c.env.exchange.url.origin, guides.size > 0));
}

function restPage(origin: string, hasGuides: boolean): Response {
  const { name, openapi, endpoints, ...rules } = describeApi();
  const example = `curl -H 'Authorization: Bearer fgw_…' ${origin}${API_PATH}/teams`;
  const nouns = Map.groupBy(routes, ({ resource }) => resource.title);
  return documentPage({
    title: 'REST API',
    path: [HOME],
    body: html`<h1>${name}</h1>
<p>This is for programs: what is here in words, they get as JSON. ${endpoints.length} endpoints; each names the scope that its key or token needs.
The <a href="${OPENAPI_PATH}">OpenAPI document</a> has their parameters, bodies, answers and refusals${hasGuides && html`, and the <a href="${GUIDES.href}">guides</a> say how to use them`}.</p>
<pre tabindex="0"><code>${example}</code></pre>
<h2>Rules</h2>
<dl class="about">
${Object.entries(rules).map(([rule, text]) => html`<div><dt>${rule}</dt><dd>${text}</dd></div>\n`)}
</dl>
${[...nouns].map(
  ([noun, served]) => html`<h2>${noun}</h2>
<ul class="endpoints">
${served.map(
  ({
    method,
    path,
    summary,
    scope,
  }) => html`<li><code><strong>${method}</strong> ${toTemplate(path)}</code><br>
<small>${summary}${scope && html` · <code>${scope}</code>`}</small></li>\n`,
)}
</ul>
`,
)}`,
  });
}
