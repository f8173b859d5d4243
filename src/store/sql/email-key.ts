// How e-mail addresses are compared: ignoring case and surrounding white space.

/** White space as in JavaScript's `trim`. (`\v` is a letter in PostgreSQL.) */
const WHITE_SPACE = String.raw`E' \t\n\x0b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'`;

/** SQL that gives the same value for equal addresses. The unique index of contacts uses exactly this text. */
export function emailKey(sql: string): string {
  return `lower(btrim(${sql}, ${WHITE_SPACE}))`;
}

/** SQL of the key in the order of code points, with the empty text for no address. An index of contacts uses exactly this text. */
export function emailKeyInOrder(sql: string): string {
  return `(coalesce(${emailKey(sql)}, '') collate "C")`;
}

/**
 * SQL of a text with the same beginning as the key, for comparisons with a prefix. It is faster than the key, because trimming is the
 * slowest part and few addresses begin with white space.
 */
export function emailKeyStart(sql: string): string {
  return `case when ascii(${sql}) between 33 and 126 then lower(${sql}) else ${emailKey(sql)} end`;
}
