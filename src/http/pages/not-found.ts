// The 404 page for people, with links to the existing pages.
import { html } from '../../oauth/pages/html.ts';
import type { Exchange } from '../exchange.ts';
import { documentPage, HOME, type Step } from './document-page.ts';
import { isForPerson, variesByReader } from './reader.ts';

/** A link on the page. */
export interface Way extends Step {
  readonly about: string;
}

/** The response for an unknown path. @param refusal the response for programs; returned unchanged if it is already a page */
export async function notFoundAnswer(
  exchange: Exchange,
  refusal: Response,
  ways: readonly Way[],
): Promise<Response> {
  const { method } = exchange.request;
  if (method !== 'GET' && method !== 'HEAD') return refusal;
  const isPage = refusal.headers.get('content-type')?.startsWith('text/html');
  const isShown = !isPage && (await isForPerson(exchange));
  return variesByReader(isShown ? notFoundPage(exchange.requestId, ways) : refusal);
}

function notFoundPage(requestId: string, ways: readonly Way[]): Response {
  return documentPage({
    title: 'There is no such page',
    status: 404,
    path: [],
    body: html`<h1>There is no such page</h1>
<p>Nothing is served at this address. Perhaps it is one of these that you want:</p>
<nav aria-label="What is here">
<ul class="links">
${[{ ...HOME, about: 'What runs here.' }, ...ways].map(
  ({ href, title, about }) => html`<li><a href="${href}">${title}</a><br><small>${about}</small></li>\n`,
)}
</ul>
</nav>
<dl class="about">
<div><dt>Request id</dt><dd><code>${requestId}</code></dd></div>
</dl>`,
  });
}
