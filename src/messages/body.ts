// Reads bodies of bounded size.
import { AppError } from '../errors.ts';

const decoder = new TextDecoder();

/**
 * Reads a complete body.
 * @param maxBytes checked against the Content-Length, or while reading without one
 * @throws AppError `payload_too_large`
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (!isAnnounced(request, maxBytes))
    return readBytes(request.body ?? [], maxBytes, () => bodyTooLarge(maxBytes));
  const body = new Uint8Array(await request.arrayBuffer());
  if (body.length > maxBytes) throw bodyTooLarge(maxBytes);
  return body;
}

/** Reads a complete body as text, with one copy fewer than `readBody`. @throws AppError `payload_too_large` */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  return isAnnounced(request, maxBytes) ? request.text() : decoder.decode(await readBody(request, maxBytes));
}

/**
 * Whether the body has a Content-Length. Node's HTTP parser reads no more bytes than that, and reading them without a stream takes a
 * fraction of the time. @throws AppError `payload_too_large`
 */
function isAnnounced({ headers }: Request, maxBytes: number): boolean {
  const announced = headers.get('content-length');
  if (Number(announced) > maxBytes) throw bodyTooLarge(maxBytes);
  return announced !== null;
}

/** Reads the bytes of a stream. @throws the error of `tooLarge` for more than `maxBytes` */
export async function readBytes(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const read: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    read.push(chunk);
  }
  return Buffer.concat(read);
}

/** The error for a body of more than `maxBytes` (RFC 9110 §15.5.14). */
function bodyTooLarge(maxBytes: number): AppError {
  return new AppError(
    'payload_too_large',
    `The request body is too large. It can have at most ${maxBytes} bytes.`,
  );
}
