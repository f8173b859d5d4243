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

/** A section, prepared for searches. */
export interface Section {
  readonly href: string;
  readonly title: string;
  readonly text: string;
  /** The title and the text in lower case. */
  readonly all: string;
}

const MAX_FOUND = 20;
const MAX_WORDS = 8;
const MAX_QUERY_CHARS = 100;
const EXCERPT_CHARS = 160;

/** The sections that contain every word of the first 100 characters, those with a word in their title first. */
export function findSections(sections: readonly Section[], query: string): FoundSection[] {
  const words = query
    .slice(0, MAX_QUERY_CHARS)
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, MAX_WORDS);
  if (words.length === 0) return [];
  return sections
    .filter(({ all }) => words.every((word) => all.includes(word)))
    .map((section) => {
      const title = section.title.toLowerCase();
      return { section, inTitle: words.filter((word) => title.includes(word)).length };
    })
    .toSorted((a, b) => b.inTitle - a.inTitle)
    .slice(0, MAX_FOUND)
    .map(({ section: { href, title, text } }) => ({ href, title, excerpt: excerptOf(text, words[0] ?? '') }));
}

/** The sections of a guide. Anybody may search, so they are made once, not for each search. */
export function sectionsOf({ href, markdown }: GuideText): Section[] {
  const guide = titleOf(markdown);
  return markdown.split(/^(?=## )/m).map((part) => {
    const [, name] = /^## (.+)/.exec(part) ?? [];
    const text = plainText(part.replace(/^#{1,2} .+/, ''));
    const title = name === undefined ? guide : `${guide}: ${plainText(name)}`;
    const anchor = name === undefined ? '' : `#${anchorOf(name)}`;
    return { href: href + anchor, title, text, all: `${title} ${text}`.toLowerCase() };
  });
}

function excerptOf(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word) - EXCERPT_CHARS / 2);
  const excerpt = text.slice(at, at + EXCERPT_CHARS);
  return `${at === 0 ? '' : '…'}${excerpt}${at + EXCERPT_CHARS < text.length ? '…' : ''}`;
}
