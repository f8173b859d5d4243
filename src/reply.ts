// An answer as REST and GraphQL give it, before http/ makes a Response of it.

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream | null;
}
