// The names under which Prisma's statements are prepared. Their number is bounded, and clients cannot exhaust it.

/** With more different texts than this, further statements are not prepared: each prepared statement takes memory on every connection. */
const MAX_STATEMENT_NAMES = 500;
/** Matches lists of values or rows. Each list length is a different text, and clients choose the length. */
const LISTS = /\bin \(\$\d+,|\), ?\(\$/i;

/** Names statements for Prisma, which prepares none without a name. Statements are the same if their texts are. */
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
