// Values as both faces write them: 64-bit ids as JSON integers, timestamps as ISO 8601 UTC with milliseconds. Pure.

declare global {
  interface JSON {
    /** ECMAScript "JSON.parse source text access": text that JSON.stringify writes as it is. */
    rawJSON(text: string): { readonly rawJSON: string };
    /** The same proposal: a reviver is told the source of what is not an object or array. */
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
  }
}

/** JSON text that is written as it is: lets an integer beyond 2^53 stay exact. */
export type RawJson = ReturnType<typeof JSON.rawJSON>;

/** An id as a JSON integer, exact at any size. */
export function toInteger(id: bigint): number | RawJson {
  return id <= Number.MAX_SAFE_INTEGER ? Number(id) : JSON.rawJSON(String(id));
}

/** An ISO 8601 timestamp, UTC, milliseconds. */
export function toTimestamp(date: Date): string {
  return date.toISOString();
}

/** A timestamp that may be missing. */
export function toTimestampOrNull(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}
