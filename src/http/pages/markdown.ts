// Renders our own Markdown guides as HTML. Their text is trusted: escaping here is for correct output, not for security.
import type { RendererObject } from 'marked';
import { type Html, html, toHtml } from '../../oauth/pages/html.ts';

/** Maps the target of a link or image to its URL here; null: it is not served. */
export type Served = (target: string) => string | null;

/** A document's title, as text. */
export function titleOf(markdown: string): string {
  return (/^# (.+)$/m.exec(markdown)?.[1] ?? '').replaceAll('`', '');
}

/** Renders a document, with its title as the first heading. Headings get the same anchors as on GitHub. */
export async function renderMarkdown(markdown: string, served: Served): Promise<Html> {
  // Imported on demand, since few processes ever serve a guide.
  const { Marked } = await import('marked');
  // Bare URLs in the guides are examples and must not become links.
  const tokenizer = { url: () => undefined };
  const text = new Marked({ renderer: rendererOf(served), tokenizer }).parse(markdown, { async: false });
  return toHtml(withScrolling(text));
}

function rendererOf(served: Served): RendererObject {
  const anchors = new Map<string, number>();
  const anchorOf = (title: string) => {
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    const before = anchors.get(anchor) ?? 0;
    anchors.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${before}`;
  };
  return {
    heading({ depth, text, tokens }) {
      const content = toHtml(this.parser.parseInline(tokens));
      const level = toHtml(`h${depth}`);
      return String(html`<${level} id="${anchorOf(text)}">${content}</${level}>\n`);
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
