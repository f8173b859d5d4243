// Converts a fetch Request into the request and response objects of node:http, without a network port: oidc-provider is a Koa app. Sets
// host, scheme and address itself, and drops headers in which the client states its own.
import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

export interface NodeRequestOptions {
  /** The public URL of the authorization server, which becomes the request's host and scheme. */
  readonly issuer: URL;
  /** The path of that URL: the handler sees paths without it. */
  readonly mount: string;
  /** The client's address. */
  readonly address: string;
  /** The request's id in the log. It becomes the header `X-Request-Id`, whatever the client sent. */
  readonly requestId: string;
  /** The request's body, already read. */
  readonly body: Uint8Array | null;
}

/** A request and its response in the form of node:http. */
export interface NodeExchange {
  readonly req: IncomingMessage;
  readonly res: CapturedResponse;
}

/** The parts of a socket that Koa reads: TLS or not, the peer's address, and that it is writable. */
class FakeSocket extends Duplex {
  readonly encrypted: boolean;
  readonly remoteAddress: string;

  constructor(encrypted: boolean, remoteAddress: string) {
    super({ autoDestroy: false });
    this.encrypted = encrypted;
    this.remoteAddress = remoteAddress;
  }

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: unknown, callback: () => void): void {
    callback();
  }
}

const EMPTY = [101, 204, 205, 304];

/** A response that stores everything written to it. */
class CapturedResponse extends ServerResponse {
  private readonly parts: Buffer[] = [];
  private readonly outcome = Promise.withResolvers<Response>();

  /** The answer, once it has ended. */
  get done(): Promise<Response> {
    return this.outcome.promise;
  }

  override writeHead(status: number, reason?: unknown, headers?: unknown): this {
    this.statusCode = status;
    const given = (headers ?? (typeof reason === 'object' ? reason : null)) as OutgoingHttpHeaders | null;
    for (const [name, value] of Object.entries(given ?? {})) {
      if (value !== undefined) this.setHeader(name, value);
    }
    return this;
  }

  override write(chunk: string | Uint8Array, encoding?: unknown, callback?: unknown): boolean {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, toEncoding(encoding)) : Buffer.from(chunk);
    this.parts.push(bytes);
    const written = typeof encoding === 'function' ? encoding : callback;
    if (typeof written === 'function') written();
    return true;
  }

  override end(chunk?: unknown, encoding?: unknown): this {
    if (this.finished) return this;
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.write(chunk, encoding);
    this.finished = true;
    Object.defineProperty(this, 'writableEnded', { value: true });
    const headers = new Headers();
    for (const [name, value] of Object.entries(this.getHeaders())) {
      for (const each of [value].flat()) if (each !== undefined) headers.append(name, String(each));
    }
    for (const name of NOT_RETURNED) headers.delete(name);
    const body = EMPTY.includes(this.statusCode) ? null : Buffer.concat(this.parts);
    this.outcome.resolve(new Response(body, { status: this.statusCode, headers }));
    this.emit('finish');
    this.emit('close');
    return this;
  }
}

/** Response headers that the HTTP server sets itself: those of the connection and of CORS. */
const NOT_RETURNED = [
  ...['transfer-encoding', 'connection', 'content-length', 'vary'],
  ...['access-control-allow-origin', 'access-control-expose-headers'],
];

function toEncoding(encoding: unknown): BufferEncoding {
  return typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8';
}

/** Request headers that are not copied: they are set here, cannot be trusted, or belong to the HTTP server (CORS). */
const NOT_COPIED =
  /^(host|origin|forwarded|x-forwarded-.*|x-original-.*|x-real-ip|content-length|transfer-encoding|connection)$/;

/** The request as node:http would have received it at the issuer's own address, and a response that stores everything written to it. */
export function toNode(
  request: Request,
  { issuer, mount, address, requestId, body }: NodeRequestOptions,
): NodeExchange {
  const url = new URL(request.url);
  const path = url.pathname + url.search;
  const socket = new FakeSocket(issuer.protocol === 'https:', address) as unknown as Socket;
  const req = new IncomingMessage(socket);
  const inner = path.startsWith(mount) ? path.slice(mount.length) : path;
  req.method = request.method;
  Object.assign(req, { originalUrl: path, url: inner === '' ? '/' : inner });
  req.httpVersion = '1.1';
  req.httpVersionMajor = 1;
  req.httpVersionMinor = 1;
  req.headers = { host: issuer.host };
  for (const [name, value] of request.headers) if (!NOT_COPIED.test(name)) req.headers[name] = value;
  req.headers['x-request-id'] = requestId;
  if (body !== null) {
    req.headers['content-length'] = String(body.byteLength);
    req.push(body);
  }
  req.push(null);
  req.complete = true;
  const res = new CapturedResponse(req);
  // Not assignSocket: nothing may be written to the socket.
  Object.defineProperty(res, 'socket', { value: socket });
  return { req, res };
}
