// A key as people paste it: out of a header, a curl line, a file of settings, a sentence. Pure.

/** Characters around a key: white space, quotation marks, punctuation, and invisible characters. */
const AROUND =
  /^[\s\u200b-\u200d\u2060"'`\u2018\u2019\u201c\u201d,;]+|[\s\u200b-\u200d\u2060"'`\u2018\u2019\u201c\u201d,;]+$/g;
const ANYWHERE = /[\s\u200b-\u200d\u2060]+/g;
const HEADER = /^(?:-H\b|--header\b)/i;
const NAME = /^authorization["']?\s*[:=]/i;
const SCHEME = /^bearer\s/i;

/**
 * The key alone: without `Authorization:`, `Bearer`, quotation marks, spaces and line ends.
 * @param text whatever was typed or pasted; what is no key at all stays as it is, but for the white space
 */
export function cleanKey(text: string): string {
  let rest = text.replace(AROUND, '');
  for (const prefix of [HEADER, NAME, SCHEME]) rest = rest.replace(prefix, '').replace(AROUND, '');
  return rest.replace(ANYWHERE, '');
}
