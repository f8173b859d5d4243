// Which text PostgreSQL can store, as text and in jsonb: text without NUL characters and without lone surrogates, which UTF-8 cannot
// encode. Pure.

/**
 * Whether a text, or every text in a JSON value, can be stored. Look-ups by a text that cannot be stored find nothing, and input with
 * one is refused. node-postgres would write U+FFFD for a lone surrogate.
 */
export function isStorable(value: unknown): boolean {
  // Without recursion, since clients decide the depth.
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'string') {
      if (next.includes('\0') || !next.isWellFormed()) return false;
    } else if (next instanceof Object) {
      for (const [key, member] of Object.entries(next)) rest.push(key, member);
    }
  }
  return true;
}
