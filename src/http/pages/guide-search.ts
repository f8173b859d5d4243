// Finds sections of the guides by words. Pure.
import { anchorOf, plainText, titleOf } from './markdown.ts';

/** A guide as text. */
export interface GuideText {
  readonly href: string;
  readonly markdown: string;
}

/** A section that has all the words. */
export interface FoundSection {
  readonly href: string;
  /** The guide's title, and the section's. */
  readonly title: string;
  /** The text around the first of the words. */
  readonly excerpt: string;
}

const MAX_FOUND = 20;
const MAX_WORDS = 8;
const EXCERPT_CHARS = 160;

/** The sections that contain every word, those with a word in their title first. */
export function findSections(guides: readonly GuideText[], query: string): FoundSection[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  const found = guides.flatMap(({ href, markdown }) =>
    sectionsOf(markdown).flatMap(({ title, anchor, text }) => {
      const all = `${title} ${text}`.toLowerCase();
      if (!words.every((word) => all.includes(word))) return [];
      const inTitle = words.filter((word) => title.toLowerCase().includes(word)).length;
      return [{ href: href + anchor, title, excerpt: excerptOf(text, words[0] ?? ''), inTitle }];
    }),
  );
  return found
    .toSorted((a, b) => b.inTitle - a.inTitle)
    .slice(0, MAX_FOUND)
    .map(({ inTitle: _, ...section }) => section);
}

function sectionsOf(markdown: string): { title: string; anchor: string; text: string }[] {
  const guide = titleOf(markdown);
  return markdown.split(/^(?=## )/m).map((part) => {
    const [, name] = /^## (.+)/.exec(part) ?? [];
    const text = plainText(part.replace(/^#{1,2} .+/, ''));
    if (name === undefined) return { title: guide, anchor: '', text };
    return { title: `${guide}: ${plainText(name)}`, anchor: `#${anchorOf(name)}`, text };
  });
}

function excerptOf(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - EXCERPT_CHARS / 2);
  const excerpt = text.slice(at, at + EXCERPT_CHARS);
  return `${at === 0 ? '' : '…'}${excerpt}${at + EXCERPT_CHARS < text.length ? '…' : ''}`;
}
