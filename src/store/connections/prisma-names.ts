// Under which names Prisma's statements are prepared: a bounded number of them, which no client can use up.

/** Beyond this many different texts, statements are not prepared: each one takes memory in every connection. */
const MAX_STATEMENT_NAMES = 500;
/** A list of values, or of rows: there is a text for every length of it, and clients choose the length. */
const LISTS = /\bin \(\$\d+,|\), ?\(\$/i;

/** Prisma names no statement unless told how; the text itself is what makes two statements the same. */
export function createStatementNames(): (statement: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= MAX_STATEMENT_NAMES || LISTS.test(sql)) return '';
    const name = `prisma_${names.size}`;
    names.set(sql, name);
    return name;
  };
}
