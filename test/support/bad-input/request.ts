// A request as the bytes that go over the wire.

export interface BadRequest {
  /** What is tried, in a few words. */
  readonly what: string;
  readonly method: string;
  /** The request target, a byte a character. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  /** null: there is none, and no length is announced. */
  readonly body: Buffer | null;
}

/** Who sends requests: the value of the Authorization header, null for nobody. */
export type Authorization = string | null;

/** Bytes of HTTP/1.1. The length of the body is announced, unless its headers do otherwise. */
export function toBytes({ method, target, headers, body }: BadRequest): Buffer {
  const isFramed = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const all = [
    ...headers,
    ...(body === null || isFramed ? [] : [['Content-Length', String(body.length)] as const]),
  ];
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...all.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)]);
}

/** A target with everything in it that may not stand in the first line of a request, and all beyond ASCII, escaped as UTF-8. */
export function toTarget(text: string): string {
  return text.toWellFormed().replaceAll(/[^!-~]/gu, (character) => encodeURIComponent(character));
}
