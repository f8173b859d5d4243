// How e-mail addresses are compared: without regard to case and to white space around them, however they were written.

/** White space, as JavaScript's `trim` has it. (`\v` is a letter in PostgreSQL.) */
const WHITE_SPACE = String.raw`E' \t\n\x0b\f\r\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'`;

/** The SQL of what is equal for equal addresses. The unique index of contacts is on it, word for word. */
export function emailKey(sql: string): string {
  return `lower(btrim(${sql}, ${WHITE_SPACE}))`;
}
