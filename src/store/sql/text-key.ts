// How names and phone numbers of contacts are compared: ignoring letter case.

/** The characters that are compared. PostgreSQL accepts about 2,700 bytes in an index entry. */
const MAX_CHARS = 500;

/** SQL that gives the same value for texts that are equal in any letter case. The indexes of contacts use exactly this text. */
export function textKey(sql: string): string {
  return `lower("left"(${sql}, ${MAX_CHARS}))`;
}
