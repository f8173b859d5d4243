// The response of REST and GraphQL handlers as plain data, from which http/ creates a Response with all headers.

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream | null;
}
