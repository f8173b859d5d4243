// The only function used from node-postgres' `lib/utils.js`, which has no types.
declare module 'pg/lib/utils.js' {
  /** A parameter's value as text or bytes; null stays null. */
  export function prepareValue(value: unknown): string | Buffer | null;
}
