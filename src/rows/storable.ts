// Checks whether PostgreSQL can store a text, as text or in jsonb: it must have no NUL characters, and no lone surrogates, which UTF-8
// cannot encode. Pure.

/**
 * Whether PostgreSQL can store a text, or every text in a JSON value. If not, look-ups by it find nothing, and input with it is refused.
 * node-postgres would write U+FFFD for a lone surrogate.
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
