// The README and the guides, as text in pieces: headings, links, fenced blocks, tables. Pure but for reading the files.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FENCED = /^( *)```[\s\S]*?^\1```$/gm;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A fenced block. */
export interface Block {
  /** The word behind the fence, '' without one. */
  readonly language: string;
  readonly text: string;
  /** Of its fence, from 1. */
  readonly line: number;
  /** The HTML comment in the line above the fence, '' without one. */
  readonly comment: string;
}

/** The paths, below the project's folder, of all texts that people read before the code. */
export const documents = ['README.md', 'CHANGELOG.md', ...globSync('docs/*.md', { cwd: ROOT }).sort()];

/** The text of a file of the project. */
export const read = (path: string) => readFileSync(ROOT + path, 'utf8');

/** The fenced blocks of a document, in order, without the indentation of their fences. */
export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  for (let i = 0; i < lines.length; i++) {
    const [, indent = '', language] = /^( *)```(\w*)$/.exec(lines[i] ?? '') ?? [];
    if (language === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, i + 1);
    if (end < 0) throw new Error(`The block of line ${i + 1} has no end.`);
    const text = lines.slice(i + 1, end).map((line) => line.slice(indent.length));
    const [, comment = ''] = /^ *<!-- (.*) -->$/.exec(lines[i - 1] ?? '') ?? [];
    blocks.push({ language, text: `${text.join('\n')}\n`, line: i + 1, comment });
    i = end;
  }
  return blocks;
}

/** The files that a document prints: the first line of a block is a comment with the path, `// src/main.ts` or `# .env`. */
export function filesOf(markdown: string): { readonly path: string; readonly text: string }[] {
  return blocksOf(markdown).flatMap(({ text }) => {
    const [, path] = /^(?:\/\/|#) ((?:[\w.-]+\/)*[\w-]*\.\w+)\n/.exec(text) ?? [];
    return path === undefined ? [] : [{ path, text }];
  });
}

/** A document without its fenced blocks. */
function proseOf(markdown: string): string {
  return markdown.replace(FENCED, '');
}

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): string[] {
  const headings = [...proseOf(markdown).matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The targets of a document's links. */
export function linksOf(markdown: string): string[] {
  return [...proseOf(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The cells of the first table under a heading, without its head. @throws Error without the heading */
export function tableUnder(markdown: string, heading: string): string[][] {
  const lines = markdown.split('\n');
  const start = lines.findIndex((line) => new RegExp(`^#+ ${heading}$`).test(line));
  if (start < 0) throw new Error(`No heading ${heading}.`);
  const first = lines.findIndex((line, i) => i > start && line.startsWith('|'));
  const end = lines.findIndex((line, i) => i > first && !line.startsWith('|'));
  return lines.slice(first + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
