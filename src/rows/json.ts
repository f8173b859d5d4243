// JSON values of REST and GraphQL: 64-bit ids as integers, timestamps as ISO 8601 in UTC with milliseconds. Pure.

declare global {
  interface JSON {
    /** ECMAScript "JSON.parse source text access": text that JSON.stringify writes unchanged. */
    rawJSON(text: string): { readonly rawJSON: string };
    /** The same proposal: a reviver gets the source text of primitive values. */
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/** JSON text that is written unchanged, for exact integers beyond 2^53. */
export type RawJson = ReturnType<typeof JSON.rawJSON>;

/** An id as a JSON integer, exact at any size. */
export function toInteger(id: bigint): number | RawJson {
  return id <= Number.MAX_SAFE_INTEGER ? Number(id) : JSON.rawJSON(String(id));
}

/** JSON with 64-bit integers as integers, exact at any size. */
export function toJson(value: object): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'bigint' ? toInteger(member) : member,
  );
}

/** A replacer for JSON.stringify that writes 64-bit integers as text. */
export function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

/** An ISO 8601 timestamp, UTC, milliseconds. */
export function toTimestamp(date: Date): string {
  return date.toISOString();
}
