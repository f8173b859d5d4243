// Renders our own Markdown guides as HTML. Their text is trusted: escaping here is for correct output, not for security.
import type { RendererObject } from 'marked';
import { type Html, html, toHtml } from '../../oauth/pages/html.ts';

/** Maps the target of a link or image to its URL here; null: it is not served. */
export type Served = (target: string) => string | null;

/** A document's title, as text. */
export function titleOf(markdown: string): string {
  return (/^# (.+)$/m.exec(markdown)?.[1] ?? '').replaceAll('`', '');
}

/** What a document is about, as text: its first sentence. */
export function summaryOf(markdown: string): string {
  const [, paragraph = ''] = /^# .+\n\n((?:.+\n?)+)/m.exec(markdown) ?? [];
  const [sentence = ''] = plainText(paragraph).split(/(?<=[.:])\s/);
  return sentence.replace(/:$/, '.');
}

/** Markdown without its marks. */
export function plainText(markdown: string): string {
  return markdown
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Renders a document, with its title as the first heading. Headings get the same anchors as on GitHub. */
export async function renderMarkdown(markdown: string, served: Served): Promise<Html> {
  // Imported on demand, since few processes ever serve a guide.
  const { Marked } = await import('marked');
  // Bare URLs in the guides are examples and must not become links.
  const tokenizer = { url: () => undefined };
  const text = new Marked({ renderer: rendererOf(served), tokenizer }).parse(markdown, { async: false });
  return toHtml(withContents(withScrolling(withColumnNames(text))));
}

/** Puts the list of a document's sections before the first of them, if there are several. */
function withContents(text: string): string {
  const sections = [...text.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)];
  if (sections.length < 3) return text;
  const items = sections.map(
    ([, anchor = '', title = '']) =>
      html`<li><a href="#${anchor}">${toHtml(title.replaceAll(/<\/?a\b[^>]*>/g, ''))}</a></li>\n`,
  );
  const contents = html`<nav class="toc" aria-label="On this page"><details open><summary>On this page</summary>
<ul>
${items}</ul></details></nav>
`;
  const at = sections[0]?.index ?? 0;
  return text.slice(0, at) + contents + text.slice(at);
}

/** Gives each cell the name of its column, which stands beside it on narrow screens. */
function withColumnNames(text: string): string {
  return text.replaceAll(/<table>[\s\S]*?<\/table>/g, (table) => {
    const names = [...table.matchAll(/<th\b[^>]*>([\s\S]*?)<\/th>/g)].map(([, name = '']) =>
      name.replaceAll(/<[^>]+>/g, '').replaceAll('"', '&quot;'),
    );
    return table.replaceAll(/<tr>[\s\S]*?<\/tr>/g, (row) => {
      let column = 0;
      return row.replaceAll(/<td\b/g, (cell) => {
        const name = names[column++] ?? '';
        return name === '' ? cell : `${cell} data-column="${name}"`;
      });
    });
  });
}

/** The anchor of a heading, as on GitHub. */
export function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function rendererOf(served: Served): RendererObject {
  const anchors = new Map<string, number>();
  const anchorIn = (title: string) => {
    const anchor = anchorOf(title);
    const before = anchors.get(anchor) ?? 0;
    anchors.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  };
  return {
    heading({ depth, text, tokens }) {
      const content = toHtml(this.parser.parseInline(tokens));
      const level = toHtml(`h${depth}`);
      return String(html`<${level} id="${anchorIn(text)}">${content}</${level}>\n`);
    },
    link({ href, tokens }) {
      const content = toHtml(this.parser.parseInline(tokens));
      const target = served(href);
      return String(target === null ? content : html`<a href="${target}" rel="noreferrer">${content}</a>`);
    },
    image({ href, text }) {
      const source = served(href);
      return String(source === null ? html`${text}` : html`<img src="${source}" alt="${text}">`);
    },
    // HTML comments are instructions for the tests.
    html: ({ text }) => (/^\s*<!--[\s\S]*-->\s*$/.test(text) ? '' : String(html`${text}`)),
  };
}

/** Makes code blocks and tables scrollable on narrow screens, also by keyboard. Empty table headers become cells. */
function withScrolling(text: string): string {
  return text
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th></th>', '<td></td>');
}
