// What PostgreSQL can have in a text, and so in JSON: no NUL, and no surrogate that stands alone, for that is no UTF-8. Pure.

/**
 * Whether a text, or a JSON value with every text in it, can be in the store. What cannot names nothing there: look-ups by it
 * find nothing, and input that is to be kept is refused. node-postgres would write U+FFFD for a lone surrogate.
 */
export function isStorable(value: unknown): boolean {
  // Not by recursion: clients decide how deep it is.
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
