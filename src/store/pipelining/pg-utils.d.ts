// The one function of node-postgres' `lib/utils.js` that is used, which brings no types.
declare module 'pg/lib/utils.js' {
  /** A statement's value as text or bytes; null is null. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
