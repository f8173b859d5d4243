// Renders pages with long texts, in the style of the authorization server's pages.
import { type Html, html } from '../../oauth/pages/html.ts';
import { pageResponse, styleSheet } from '../../oauth/pages/layout.ts';
import { STYLE } from '../../oauth/pages/style.ts';

const SHEET = styleSheet(`${STYLE}
main { max-width: 58rem; overflow-wrap: break-word; }
.toc { margin: 0 0 1.5rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--tint); }
.toc summary { font-weight: 600; cursor: pointer; }
.toc ul { margin: .5rem 0 0; padding-left: 1.25rem; columns: 7.75rem 3; column-gap: 1rem; }
.toc li { break-inside: avoid; }
.search { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: 0 0 1.5rem; }
.search label { flex: 1 1 14rem; font-weight: 600; }
.search input { display: block; width: 100%; min-height: 2.75rem; margin-top: .25rem; padding: .5rem .75rem; border: 1px solid var(--field); border-radius: .5rem; background: var(--card); color: inherit; font: inherit; font-weight: 400; }
.search button { flex: none; }
.code { position: relative; }
.code button { position: absolute; top: .375rem; right: .375rem; min-height: 0; padding: .125rem .5rem; border-color: var(--field); background: var(--card); color: inherit; font-size: .8125rem; }
h1, h2, h3, h4 { scroll-margin-top: 1rem; }
h2 { margin-top: 2.5rem; }
h3, h4 { margin: 1.75rem 0 .5rem; }
.path { margin-bottom: 1rem; color: var(--soft); font-size: .9375rem; }
:is(p, li, dd) > ul, main > ul, main > ol { margin: 0 0 1rem; padding-left: 1.375rem; }
ul.links { padding: 0; }
li + li { margin-top: .375rem; }
li > p { margin-bottom: .5rem; }
pre, .scroll { margin: 0 0 1.25rem; overflow-x: auto; }
pre { padding: .875rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--tint); }
pre code { font-size: .875rem; }
:not(pre) > code { padding: .0625rem .25rem; border-radius: .25rem; background: var(--tint); }
table { border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .4375rem 1rem .4375rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
td:first-child:empty + td:empty { padding: 0; }
td:last-child { min-width: 13rem; overflow-wrap: anywhere; }
img { max-width: 100%; height: auto; border: 1px solid var(--line); border-radius: .5rem; }
.endpoints { padding: 0; list-style: none; }
.endpoints code { overflow-wrap: anywhere; }
dl.about code { padding: 0; background: none; }
@media (width <= 40rem) {
  .scroll :is(table, tbody, tr, td) { display: block; }
  .scroll thead { display: none; }
  .scroll tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
  .scroll td { padding: .125rem 0; border: 0; }
  .scroll td[data-column]::before { content: attr(data-column) ": "; color: var(--soft); font-size: .875rem; }
  .scroll td:first-child { font-weight: 600; }
  .scroll td:first-child::before { content: none; }
}
`);

/** A link of the breadcrumb navigation. */
export interface Step {
  readonly href: string;
  readonly title: string;
}

export const HOME: Step = { href: '/', title: 'Home' };

/** The page as a response. @param path the breadcrumb navigation, outermost page first */
export function documentPage({
  title,
  body,
  path,
  status = 200,
  script,
}: {
  readonly title: string;
  readonly body: Html;
  readonly path: readonly Step[];
  readonly status?: number;
  /** The path of the page's script. */
  readonly script?: string;
}): Response {
  const steps = path.map(({ href, title: name }) => html`<a href="${href}">${name}</a> / `);
  return pageResponse({
    title,
    status,
    ...(script !== undefined && { script }),
    style: SHEET,
    body: html`${steps.length > 0 && html`<nav class="path" aria-label="Breadcrumb">${steps}${title}</nav>`}
${body}`,
  });
}
