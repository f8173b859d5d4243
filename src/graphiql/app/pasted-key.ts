// Finds the key in pasted text, such as a header, a curl command, a settings file or a sentence. Pure.

/** Characters around a key: white space, quotation marks, punctuation, and invisible characters. */
const SURROUNDING =
  /^[\s\u200b-\u200d\u2060"'`\u2018\u2019\u201c\u201d,;]+|[\s\u200b-\u200d\u2060"'`\u2018\u2019\u201c\u201d,;]+$/g;
const ANYWHERE = /[\s\u200b-\u200d\u2060]+/g;
const HEADER = /^(?:-H\b|--header\b)/i;
const NAME = /^authorization["']?\s*[:=]/i;
const SCHEME = /^bearer\s/i;

/**
 * The key alone: without `Authorization:`, `Bearer`, quotation marks, spaces and line ends.
 * @param text the typed or pasted text; if it contains no key, only white space is removed
 */
export function cleanKey(text: string): string {
  let rest = text.replace(SURROUNDING, '');
  for (const prefix of [HEADER, NAME, SCHEME]) rest = rest.replace(prefix, '').replace(SURROUNDING, '');
  return rest.replace(ANYWHERE, '');
}
