// Stands in for the types of `@whatwg-node/fetch` (tsconfig `paths`): they would bring the browser's globals into the
// whole program, and with them other types of ReadableStream than Node's.
export declare const Response: typeof globalThis.Response;
export declare const createFetch: () => typeof globalThis;
