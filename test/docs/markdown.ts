// The README and the guides, as text in pieces: headings, links, tables. Pure but for reading the files.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Paths, below the project's folder, of all that people read before they read code. */
export const documents = ['README.md', 'CHANGELOG.md', ...globSync('docs/*.md', { cwd: ROOT }).sort()];

/** The text of a file of the project. */
export const read = (path: string) => readFileSync(ROOT + path, 'utf8');

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf(markdown: string): string[] {
  const headings = [...markdown.replace(/^( *)```[\s\S]*?^\1```$/gm, '').matchAll(/^#+ (.*)$/gm)];
  return headings.map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The targets of a document's links. */
export function linksOf(markdown: string): string[] {
  return [...markdown.replace(/^( *)```[\s\S]*?^\1```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target = '']) => target,
  );
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
