// Our own guides, which are Markdown, as HTML. Their text is ours: what is escaped and left out here is for its form, not against anybody.
import type { RendererObject } from 'marked';
import { Html, html } from '../../oauth/pages/html.ts';

/** Where a link or an image of a document leads here; null: it is not served. */
export type Served = (target: string) => string | null;

/** A document's title, as text. */
export function titleOf(markdown: string): string {
  return (/^# (.+)$/m.exec(markdown)?.[1] ?? '').replaceAll('`', '');
}

/** The whole document, its title as the first heading. Headings have the anchors that GitHub gives them. */
export async function renderMarkdown(markdown: string, served: Served): Promise<Html> {
  // Few processes are ever asked for a guide.
  const { Marked } = await import('marked');
  // Bare addresses are examples: no link leads there.
  const tokenizer = { url: () => undefined };
  const text = new Marked({ renderer: rendererOf(served), tokenizer }).parse(markdown, { async: false });
  return new Html(withScrolling(text));
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
      const content = new Html(this.parser.parseInline(tokens));
      const level = new Html(`h${depth}`);
      return html`<${level} id="${anchorOf(text)}">${content}</${level}>\n`.text;
    },
    link({ href, tokens }) {
      const content = new Html(this.parser.parseInline(tokens));
      const target = served(href);
      return target === null ? content.text : html`<a href="${target}" rel="noreferrer">${content}</a>`.text;
    },
    image({ href, text }) {
      const source = served(href);
      return source === null ? html`${text}`.text : html`<img src="${source}" alt="${text}">`.text;
    },
    // Comments tell the tests what to do with a block.
    html: ({ text }) => (/^\s*<!--[\s\S]*-->\s*$/.test(text) ? '' : html`${text}`.text),
  };
}

/** What may be wider than a phone scrolls by itself, with the keyboard too; a head without text is none. */
function withScrolling(text: string): string {
  return text
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="scroll" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th></th>', '<td></td>');
}
