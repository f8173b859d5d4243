// Bodies of bounded size.
import { AppError } from '../errors.ts';

const decoder = new TextDecoder();

/**
 * Reads a whole body.
 * @param maxBytes checked against the announced length, or while reading if none was announced
 * @throws AppError `payload_too_large`
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const announced = request.headers.get('content-length');
  if (Number(announced) > maxBytes) throw bodyTooLarge(maxBytes);
  // Node's HTTP parser reads no more bytes than were announced. Without a stream they are read in a fraction of the time.
  if (announced !== null) {
    const body = new Uint8Array(await request.arrayBuffer());
    if (body.length > maxBytes) throw bodyTooLarge(maxBytes);
    return body;
  }
  return readBytes(request.body ?? [], maxBytes, () => bodyTooLarge(maxBytes));
}

/** The same as text. Where its length was announced, this takes a copy less. @throws AppError `payload_too_large` */
export async function readText(request: Request, maxBytes: number): Promise<string> {
  const announced = request.headers.get('content-length');
  if (Number(announced) > maxBytes) throw bodyTooLarge(maxBytes);
  return announced === null ? decoder.decode(await readBody(request, maxBytes)) : request.text();
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
  return new AppError('payload_too_large', `The request body is larger than ${maxBytes} bytes.`);
}
