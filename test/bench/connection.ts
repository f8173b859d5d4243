// One keep-alive HTTP/1.1 connection on a bare socket, one request at a time: an HTTP client would cost this machine
// about as much as the servers that it measures. Understands Content-Length and chunked bodies, nothing else.
import { connect, type Socket } from 'node:net';
import { zstdDecompressSync } from 'node:zlib';

export interface Reply {
  readonly status: number;
  /** The header block as it came; read it with `headerOf`. */
  readonly head: string;
  /** null unless the body was asked for. */
  readonly body: string | null;
}

type OnReply = (reply: Reply) => void;

const READ_BYTES = 128 * 1024;
const HEAD_END = Buffer.from('\r\n\r\n');
/** RFC 9112 §6.3: these have no body, whatever their headers say. */
const BODILESS = /^HTTP\/1\.1 (204|304)/;
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

export class Connection {
  readonly #socket: Socket;
  #onError: (error: Error) => void;
  #onReply: OnReply | null = null;
  #keepBody = false;
  /** What has come of the reply under way. */
  #head = '';
  #unread = Buffer.alloc(0);
  /** Bytes of the body still to come; null for a chunked one. */
  #missing: number | null = 0;
  #chunks: Buffer[] = [];
  #tail = Buffer.alloc(0);

  constructor(port: number, onError: (error: Error) => void = () => {}) {
    this.#onError = onError;
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer,
        callback: (length) => {
          this.#read(buffer.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket
      .once('error', (error) => this.#onError(error))
      .once('close', () => {
        if (this.#onReply !== null) this.#onError(new Error('the server closed the connection'));
      });
  }

  /** Sends a whole request; `onReply` is called once, when the whole reply is there. */
  send(request: Buffer, keepBody: boolean, onReply: OnReply): void {
    this.#onReply = onReply;
    this.#keepBody = keepBody;
    this.#socket.write(request);
  }

  /** The same as a promise, with the body. */
  ask(request: Buffer): Promise<Reply & { body: string }> {
    return new Promise((done, fail) => {
      this.#onError = fail;
      this.send(request, true, (reply) => done({ ...reply, body: reply.body ?? '' }));
    });
  }

  close(): void {
    this.#onReply = null;
    this.#socket.destroy();
  }

  #read(data: Buffer): void {
    if (this.#head !== '') {
      this.#readBody(data);
      return;
    }
    const all = this.#unread.length === 0 ? data : Buffer.concat([this.#unread, data]);
    const end = all.indexOf(HEAD_END);
    if (end < 0) {
      this.#unread = Buffer.from(all);
      return;
    }
    this.#unread = Buffer.alloc(0);
    this.#head = all.toString('latin1', 0, end + 2);
    const length = CONTENT_LENGTH.exec(this.#head)?.[1];
    const isEmpty = BODILESS.test(this.#head);
    this.#missing = isEmpty ? 0 : length === undefined ? null : Number(length);
    if (this.#missing === null && !/chunked/i.test(headerOf(this.#head, 'transfer-encoding') ?? '')) {
      this.#onError(new Error(`a reply without length: ${this.#head}`));
      return;
    }
    this.#readBody(all.subarray(end + HEAD_END.length));
  }

  #readBody(data: Buffer): void {
    // The buffer is the socket's: what is kept is copied.
    if (this.#keepBody) this.#chunks.push(Buffer.from(data));
    if (this.#missing !== null) {
      this.#missing -= data.length;
      if (this.#missing <= 0) this.#finish();
      return;
    }
    // JSON has no bare CR, so that these five bytes are the end and nothing else.
    const tail = data.length >= LAST_CHUNK.length ? data : Buffer.concat([this.#tail, data]);
    if (tail.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) this.#finish();
    else this.#tail = Buffer.from(tail.subarray(-LAST_CHUNK.length));
  }

  #joined(): string {
    const bytes = Buffer.concat(this.#chunks);
    if (headerOf(this.#head, 'content-encoding') === 'zstd') return zstdDecompressSync(bytes).toString();
    return this.#missing === null ? joinChunks(bytes) : bytes.toString();
  }

  #finish(): void {
    const body = this.#keepBody ? this.#joined() : null;
    const reply = { status: Number(this.#head.slice(9, 12)), head: this.#head, body };
    const onReply = this.#onReply;
    this.#head = '';
    this.#chunks = [];
    this.#tail = Buffer.alloc(0);
    this.#onReply = null;
    onReply?.(reply);
  }
}

/** The value of a header in the block that came. */
export function headerOf(head: string, name: string): string | null {
  return new RegExp(`\r\n${name}: *([^\r]*)\r\n`, 'i').exec(head)?.[1] ?? null;
}

/** The content of a chunked body (RFC 9112 §7.1). */
function joinChunks(bytes: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(parts).toString();
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
