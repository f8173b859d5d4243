// Compresses JSON and plain text for clients that accept it, on Node's thread pool. The concurrent work is bounded; above the bound, responses are sent
// uncompressed. So that an attacker cannot guess a secret from the length (BREACH), responses of the authorization server are never
// compressed, nor those with Cache-Control `no-transform`, which every response with a secret must have.
import { addAbortSignal, pipeline, Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { promisify } from 'node:util';
import {
  createGzip,
  createZstdCompress,
  gzip as gzipWithCallback,
  constants as zlib,
  zstdCompress as zstdWithCallback,
} from 'node:zlib';
import { CODINGS, type Coding, codedTag, matchesTag, preferredCoding } from '../messages/content-coding.ts';
import type { Reply } from '../messages/reply.ts';
import { isBelowAuthorizationServer } from '../oauth/endpoints.ts';
import { addVary, type Exchange } from './exchange.ts';

type Body = Reply['body'];
type Bytes = Uint8Array<ArrayBuffer>;

/** Above these levels, time grows faster than size shrinks. */
const ZSTD = { params: { [zlib.ZSTD_c_compressionLevel]: 1 } };
const GZIP = { level: 3 };

const zstd: (body: Bytes, options: typeof ZSTD) => Promise<Bytes> = promisify(zstdWithCallback);
const gzip: (body: Bytes, options: typeof GZIP) => Promise<Bytes> = promisify(gzipWithCallback);

/** Responses up to this size fit into one packet uncompressed. */
const SMALL_BYTES = 1_024;
/** Longer responses are compressed as a stream. */
const MAX_WHOLE_BYTES = 1024 * 1024;
/** The most bytes compressed concurrently, and the bytes that a stream counts as: about its buffer size. */
const MAX_BYTES_AT_ONCE = 8 * 1024 * 1024;
const STREAM_BYTES = 512 * 1024;

/** Compresses a response if this is allowed and the client asks for it. */
type Compress = (exchange: Exchange, response: Response) => Promise<Response>;

/** The compression of one process. @param maxBytes the most bytes compressed concurrently */
export function createCompression(maxBytes = MAX_BYTES_AT_ONCE): Compress {
  let bytesUnderWay = 0;

  async function compressBytes(body: Bytes, coding: Coding): Promise<Bytes> {
    bytesUnderWay += body.length;
    try {
      return await (coding === 'zstd' ? zstd(body, ZSTD) : gzip(body, GZIP));
    } finally {
      bytesUnderWay -= body.length;
    }
  }

  function compressStream(body: ReadableStream, coding: Coding, signal: AbortSignal): ReadableStream {
    bytesUnderWay += STREAM_BYTES;
    const compressor = coding === 'zstd' ? createZstdCompress(ZSTD) : createGzip(GZIP);
    // The pipeline ends all streams when one ends or the client disconnects, so nothing more is read.
    pipeline(Readable.fromWeb(body as NodeStream), addAbortSignal(signal, compressor), () => {
      bytesUnderWay -= STREAM_BYTES;
    });
    return Readable.toWeb(compressor) as ReadableStream;
  }

  /** @param plain the uncompressed response @param body its body, unread */
  async function compress(
    plain: Response,
    body: Body,
    coding: Coding,
    signal: AbortSignal,
  ): Promise<Response> {
    const bytes = body instanceof Uint8Array ? body.length : STREAM_BYTES;
    if (!isLong(body) || bytesUnderWay + bytes > maxBytes || signal.aborted) return plain;
    if (body instanceof Uint8Array) return coded(plain, await compressBytes(body, coding), coding);
    return coded(plain, compressStream(body, coding, signal), coding);
  }

  return async (exchange, response) => {
    const { app, request, reply, signal, url } = exchange;
    const accepted = request.headers.get('accept-encoding');
    if (accepted === null || !isCompressible(response)) return response;
    if (isBelowAuthorizationServer(app.config.authPath, url.pathname)) return response;
    addVary(response.headers, 'Accept-Encoding');
    const coding = preferredCoding(accepted, CODINGS);
    if (coding === null || response.status === 304) return response;
    const reads = request.method === 'GET' || request.method === 'HEAD';
    const tag = reads ? response.headers.get('etag') : null;
    if (tag !== null && matchesTag(request.headers.get('if-none-match'), codedTag(tag, coding)))
      return notModified(response, coding);
    if (request.method === 'HEAD') return isLong(reply?.body) ? coded(response, null, coding) : response;
    if (exchange.isOwn(response)) return compress(response, reply?.body ?? null, coding, signal);
    const [plain, body] = await read(response);
    return compress(plain, body, coding, signal);
  };
}

/** Whether a response is JSON or plain text without a content coding; or a 304, whose entity tag depends on the coding too. */
function isCompressible({ headers, status }: Response): boolean {
  if (headers.has('content-encoding') || headers.get('cache-control')?.includes('no-transform')) return false;
  return (
    status === 304 || /^(application\/([\w.-]+\+)?json|text\/plain)\b/.test(headers.get('content-type') ?? '')
  );
}

function isLong(body: Body | undefined): body is Bytes | ReadableStream {
  return body != null && (!(body instanceof Uint8Array) || body.length > SMALL_BYTES);
}

/** The response and its body. The body is read unless its Content-Length is large; bodies without a length are in memory already. */
async function read(response: Response): Promise<[Response, Body]> {
  const { body, headers, status } = response;
  if (body === null || Number(headers.get('content-length')) > MAX_WHOLE_BYTES) return [response, body];
  const bytes = new Uint8Array(await response.arrayBuffer());
  return [new Response(bytes, { status, headers }), bytes];
}

/** The response with a compressed body and its own entity tag. */
function coded({ headers: plain, status }: Response, body: Body, coding: Coding): Response {
  const headers = new Headers(plain);
  const tag = headers.get('etag');
  if (tag !== null) headers.set('ETag', codedTag(tag, coding));
  headers.set('Content-Encoding', coding);
  headers.delete('Content-Length');
  return new Response(body, { status, headers });
}

/** A 304 in place of a compressed response that the client has already (RFC 9110 §15.4.5). */
function notModified(response: Response, coding: Coding): Response {
  const { headers } = coded(response, null, coding);
  for (const name of ['Content-Encoding', 'Content-Type']) headers.delete(name);
  return new Response(null, { status: 304, headers });
}
