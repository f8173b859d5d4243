// What PostgreSQL takes as JSON: no NUL, and no surrogate that stands alone. Pure.

/** JSON.stringify escapes just these; text that spells out the escape is refused with them. */
const UNSTORABLE = /\\u0000|\\ud[89a-f]/i;

/** Whether a value that came from a client can be kept. */
export function isStorable(value: unknown): boolean {
  return !UNSTORABLE.test(JSON.stringify(value) ?? '');
}
