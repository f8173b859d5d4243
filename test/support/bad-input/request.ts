// A request as the bytes on the wire.

export interface BadRequest {
  /** What the request tries, in a few words. */
  readonly what: string;
  readonly method: string;
  /** The request target, one character for each byte. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  /** null: no body, and no length is announced. */
  readonly body: Buffer | null;
}

/** The value of the Authorization header of a caller, null without credentials. */
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

/** A target in which every character that may not be in a request line, and everything beyond ASCII, is escaped as UTF-8. */
export function toTarget(text: string): string {
  return text.toWellFormed().replaceAll(/[^!-~]/gu, (character) => encodeURIComponent(character));
}
